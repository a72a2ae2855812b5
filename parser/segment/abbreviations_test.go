package segment

import (
	"strings"
	"testing"
)

// No sentence ends behind an abbreviation of the language. Its period is part of it, or a
// token of its own where the treebanks of the language have it so.
func TestAbbreviations(t *testing.T) {
	for _, test := range []struct{ language, block, want string }{
		{"es", "Ada sees Prof. Bela.", "Ada sees Prof. Bela _. \n"},
		{"cs", "Ada sees Prof. Bela.", "Ada sees Prof _. Bela _. \n"},
		{"es", "Ada sees p. ej. Bela.", "Ada sees p. ej. Bela _. \n"},
		{"ru", "Ada sees в г. Bela.", "Ada sees в г. Bela _. \n"},
		{"es", "Ada sees prof.Bela.", "Ada sees prof. _Bela _. \n"},
	} {
		list := model(t).Segment(test.block, Request{Language: test.language})
		check(t, test.block, list)
		if got := describe(list); got != test.want {
			t.Errorf("%s %s: %q", test.language, test.block, got)
		}
	}
}

// The list has a line for each language, in order, and nothing twice.
func TestListOfAbbreviations(t *testing.T) {
	last := ""
	for line := range strings.Lines(abbreviationsText) {
		f := strings.Fields(line)
		if f[0] == "#" {
			continue
		}
		if f[0] <= last {
			t.Errorf("%s stands behind %s", f[0], last)
		}
		last = f[0]
		seen := map[string]bool{}
		for _, form := range f[1:] {
			if seen[form] || form != strings.ToLower(form) || strings.HasSuffix(form, ".") {
				t.Errorf("%s: %s", f[0], form)
			}
			seen[form] = true
		}
	}
	// Words that often end sentences: him, art, earth, thing, head, like, regiment.
	for code, form := range map[string]string{"sl": "ga.", "fr": "art.", "mt": "art.", "id": "hal.", "ro": "cap.", "de": "mag.", "ru": "полк."} {
		if abbreviationsOf()[code].all[form] {
			t.Errorf("%s: %s is a word", code, form)
		}
	}
	if len(abbreviationsOf()) < 30 || abbreviationsOf()["en"] != nil {
		t.Error("languages")
	}
}

package segment

import (
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
)

func rules(t testing.TB, abbreviations, together string) *Rules {
	r, err := NewRules(strings.Split(abbreviations, "|"), strings.Split(together, "|"))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRules(t *testing.T) {
	m := model(t)
	r := rules(t, "approx|et al.|e.g.|don't see.|a4|$b", "C+=|New York|x(y)|don't|a=b c|stones.")
	for _, c := range []struct{ text, want string }{
		{"Ada sees approx. Bela.", "Ada sees approx. Bela _. \n"},
		{"Ada sees Approx. Bela.", "Ada sees Approx. Bela _. \n"},
		{"Ada sees pears et al. Bela wants boats.", "Ada sees pears et al. Bela wants boats _. \n"},
		{"Ada sees A4. Bela wants $b. Cora.", "Ada sees A4. Bela wants $b. Cora _. \n"},
		{"Ada sees A5. Bela wants boats.", "Ada sees A5 _. \nBela wants boats _. \n"},
		{"Ada sees £b. Bela wants boats.", "Ada sees £b. \nBela wants boats _. \n"},
		{"Ada sees www.approx.org and approx.a4.net.", "Ada sees www.approx.org and approx.a4.net _. \n"},
		{"Ada sees E.g. Bela.", "Ada sees E.g. Bela _. \n"},
		{"Ada wants C+=, (C+=).", "Ada wants C+= _, ( _C+= _) _. \n"},
		{"Ada wants New York.", "Ada wants New York _. \n"},
		{"Ada wants New\nYork.", "Ada wants New York _. \n"},
		{"Ada wants New Yorks.", "Ada wants New Yorks _. \n"},
		{"Ada sees x(y).", "Ada sees x(y) _. \n"},
		{"Ada don't see pears.", "Ada don't see pears _. \n"},
		{"Ada wants a=b c.", "Ada wants a=b c _. \n"},
		{"Ada `sees stones. Bela` wants boats.", "Ada ` _sees stones. Bela _` wants boats _. \n"},
	} {
		list := m.Segment(c.text, Request{Rules: r})
		check(t, c.text, list)
		if got := describe(list); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
	if _, err := NewRules([]string{"."}, nil); err == nil {
		t.Error("a period alone, behind which sentences end, is an abbreviation")
	}
	if got := describe(m.Segment("Ada approx.", Request{Rules: r})); got != "Ada approx. \n" {
		t.Errorf("at the end: %q", got)
	}
}

// The finder finds what trying every phrase finds.
func TestFinderFindsAll(t *testing.T) {
	r := hash.Rand(9)
	parts := strings.Fields("a b A . ' é - ~")
	text := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteString(parts[r.Below(uint32(len(parts)))])
		}
		return strings.ReplaceAll(b.String(), "~", " ")
	}
	found := 0
	for range 3000 {
		var p phrases
		var all []string
		for range 1 + r.Below(6) {
			if s := strings.TrimSpace(text(1 + int(r.Below(4)))); s != "" {
				p.add(s)
				all = append(all, strings.Join(strings.Fields(s), " "))
			}
		}
		var l layout
		l.read(text(1 + int(r.Below(15))))
		var f finder
		char := func(i int32) rune { return []rune(l.block)[i] }
		for i := range int32(len(l.class)) {
			if isSpace(l.class[i]) {
				continue
			}
			want := int32(0)
			for end := i + 1; int(end) <= len(l.class); end++ {
				s := l.text(span{i, end})
				for _, a := range all {
					if !isSpace(l.class[end-1]) && strings.Join(strings.Fields(s), " ") == a && l.mayEnd(end) {
						want = end
					}
				}
			}
			if got := f.find(&p, &l, i, char); got != want {
				t.Fatalf("%q in %q from %d: to %d, want %d", all, l.block, i, got, want)
			}
			if want > 0 {
				found++
			}
		}
	}
	if found < 1000 {
		t.Errorf("only %d phrases found", found)
	}
}

func FuzzRules(f *testing.F) {
	for _, block := range oddBlocks {
		f.Add(block, "ada|e.g", "sees|don't|10 000")
	}
	m := model(f)
	f.Fuzz(func(t *testing.T, block, abbreviations, together string) {
		if r, err := NewRules(strings.Split(abbreviations, "|"), strings.Split(together, "|")); err == nil {
			check(t, block, m.Segment(block, Request{Rules: r}))
		}
	})
}

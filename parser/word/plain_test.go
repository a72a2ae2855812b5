package word

import "testing"

func TestPlain(t *testing.T) {
	for form, want := range map[string]string{
		"": "", "house": "house", "été": "été", "They’re": "They're", "l’": "l'", "“": `"`, "”": `"`, "…": "...",
		"–": "-", "‒": "-", "—": "--", "―": "--", "‚": "'", "−5": "-5", "€": "$", "₴": "$",
		"€5": "€5", "«": "«", "O’Neill–Smith": "O'Neill-Smith", "\xff’": "\xff'",
	} {
		if got := Plain(form); got != want {
			t.Errorf("Plain(%q) = %q, want %q", form, got, want)
		}
		if again := Plain(Plain(form)); again != Plain(form) {
			t.Errorf("Plain twice of %q is %q", form, again)
		}
	}
	if n := testing.AllocsPerRun(10, func() { Plain("house"); Plain("été") }); n > 0 {
		t.Errorf("%v allocations for forms that stay", n)
	}
}

package segment

import "testing"

// A validator refuses a MISC that ends with white space of any kind.
func TestEscapeSpaces(t *testing.T) {
	for text, want := range map[string]string{
		"  ":           `\s\s`,
		" \t\r\n":      `\s\t\r\n`,
		`|\`:           `\p\\`,
		"\u00a0":       `\u00A0`,
		"\u3000\u2028": `\u3000\u2028`,
		"\v\f":         `\u000B\u000C`,
		"\ufeff":       `\uFEFF`,
	} {
		if got := escapeSpaces(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

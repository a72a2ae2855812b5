package word

import "strings"

// Plain returns what a form is to all features, and to memories of forms: the
// form with typographic characters as a typewriter writes them. ’ ‘ ‛ ʼ ′ are ',
// “ ” „ ‟ are ", … is ..., a lone – or ― or — is - or --, a lone currency sign
// is $. So a text has the same tags and trees however it was typed. « and » stay:
// where they are used, they say which end of a quotation they are. It returns
// forms without such characters as they are, without allocation.
func Plain(form string) string {
	if ascii(form) {
		return form
	}
	switch form {
	case "–", "‐", "‑", "−":
		return "-"
	case "—", "―":
		return "--"
	case "£", "€", "¥", "₤", "₺", "₹", "₽", "₩", "¢":
		return "$"
	}
	if !strings.ContainsFunc(form, typographic) {
		return form
	}
	return typewriter.Replace(form)
}

// typographic reports whether Plain replaces r within a form.
func typographic(r rune) bool {
	return r >= '‐' && r <= '″' && r != '‖' && r != '‗' || r == 'ʼ' || r == '＇'
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

var typewriter = strings.NewReplacer("’", "'", "‘", "'", "‛", "'", "ʼ", "'", "′", "'", "＇", "'",
	"“", `"`, "”", `"`, "„", `"`, "‟", `"`, "″", `"`, "…", "...",
	"‐", "-", "‑", "-", "–", "-", "—", "--", "―", "--")

package syntax

import "strings"

// Universal returns a relation without its subtype: "nmod" for "nmod:poss".
func Universal(deprel string) string {
	r, _, _ := strings.Cut(deprel, ":")
	return r
}

// Value returns the value of the first attribute of that name in FEATS or MISC, such as
// "Case=Nom|Number=Sing", and whether there is one.
func Value(column, name string) (value string, ok bool) {
	for column != "" {
		var item string
		item, column, _ = strings.Cut(column, "|")
		if key, value, ok := strings.Cut(item, "="); ok && key == name {
			return value, true
		}
	}
	return "", false
}

// NoSpaceAfter reports whether MISC says that no white space follows a token.
func NoSpaceAfter(misc string) bool {
	value, _ := Value(misc, "SpaceAfter")
	return value == "No"
}

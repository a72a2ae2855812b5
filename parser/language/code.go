package language

import "golang.org/x/text/language"

// Code returns the shortest code of the language that a tag names (RFC 5646), without its
// script and region, or "" if the tag names none: "de" for "DEU", "zh" for "zh-CN", "he"
// for "iw", and "no" for both ways of writing Norwegian.
func Code(tag string) string {
	t, err := language.All.Parse(tag)
	base, sure := t.Base()
	switch {
	case err != nil || sure < language.Exact:
		return ""
	case base.String() == "nn":
		return "no"
	}
	return base.String()
}

package segment

import (
	"regexp"
	"strings"
	"sync"
)

// All that is said about Spanish and Italian is in this file: two pronouns that are
// written behind their verb are words, as in their treebanks, which have few of these
// forms: dárselo is dar, se and lo. The expressions leave out what may be another form with one
// pronoun, or a name: fírmelo, compártelo, duérmelo, Carmelo.
var enclitics = map[string]func() *regexp.Regexp{
	"es": sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(?:` +
			`(\pL*(?:\pLár|[^\PLiu]ér|[^\PLf]ír))(me|se|nos|os)(l[aeo]s?)|(\pL*(?:[^\PLp]ár|[^\PLi]ér|\pLír))(te)(l[aeo]s?)|` +
			`(dí|dé|dá|pón|tén|ház|\pL*[áéíóú][^aeiouáéíóú]*[aeiou]n?)(me|te|se|nos|os)(l[aeo]s?))$`)
	}),
	"it": sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:(?i:(\pL+(?:[aeiou]r|[ae]ndo))(glie)(l[aeio]|ne)|(\pL+[ae]ndo)([mtscv]e)(l[aeio]|ne))|` +
			`(\p{Ll}+[aeiou]r)([mtscv]e)(l[aeio]|ne))$`)
	}),
}

// unstressed undoes the accents that mark the stress of a Spanish verb with pronouns. Those
// of oír and decía stay.
var unstressed = strings.NewReplacer("aír", "aír", "eír", "eír", "oír", "oír", "ía", "ía",
	"á", "a", "é", "e", "í", "i", "ó", "o", "ú", "u")

// splitEnclitics returns a verb and its two pronouns, or nil if the form is something else.
func splitEnclitics(form, language string) (words []string) {
	expression, ok := enclitics[language]
	if !ok {
		return nil
	}
	for i, part := range expression().FindStringSubmatch(form) {
		if i > 0 && part != "" {
			words = append(words, foldLower(part))
		}
	}
	if words == nil {
		return nil
	}
	if language == "es" {
		words[0] = unstressed.Replace(words[0])
	}
	return copyCase(form, foldLower(form), words)
}

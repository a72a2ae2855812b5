package segment

import (
	"regexp"
	"strings"
	"sync"
)

// All that is said about Spanish and Italian is in this file: pronouns that are written
// behind their verb are words, as in their treebanks, which have few of these forms: dárselo
// is dar, se and lo. The expressions leave out endings of many other words, as in compártelo,
// Carmelo and inviernos.
var enclitics = map[string]func() *regexp.Regexp{
	"es": sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(?:` +
			`(\pL*(?:\pLár|[^\PLiu]ér|[^\PLf]ír))(me|se|nos|os)(l[aeo]s?)|(\pL*(?:[^\PLp]ár|[^\PLi]ér|\pLír))(te)(l[aeo]s?)|` +
			`(dí|dé|dá|pón|tén|ház|\pL*[áéíóú][^aeiouáéíóú]*[aeiou]n?)(me|te|se|nos|os)(l[aeo]s?)|` +
			`(\pL+[áé]ndo)(me|te|se|nos|os|l[aeo]s?)|` +
			`(\pL+[áéíóú][^aeiouáéíóú]*[aeiou]n?)(me|le)|(d[ai])(me|les?|nos)|(pon|haz|ten)(me|te|se|nos|l[aeo]s?)|` +
			`(?-i:(\p{Ll}{3,}[ai]r)(me|se|nos|l[aeo]s?)|(\p{Ll}{3,}er)(me|l[aeo]s?)|(\p{Ll}{3,}ir|\p{Ll}{2,}[^aipu]er|\p{Ll}{2,}[^cpsu]ar)(te)))$`)
	}),
	"it": sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:(?i:(\pL+(?:[aeiou]r|[ae]ndo))(glie)(l[aeio]|ne)|(\pL+[ae]ndo)([mtscv]e)(l[aeio]|ne)|` +
			`(dando|\pL{2,}[ae]ndo)([mtscv]i|gli|l[aeio]|ne)|(far|d[ai]r|star|aver|esser|saper|poter|voler|dover)([mtscv]i|gli|l[aeio]|ne))|` +
			`(\p{Ll}+[aeiou]r)([mtscv]e)(l[aeio]|ne)|(\p{Ll}{3,}[ai]r)([mtscv]i|gli|l[aeio]|ne)|(\p{Ll}{3,}er)(gli|l[aeio]|ci))$`)
	}),
}

// bound lists forms that look like a verb with one pronoun, and are one word.
var bound = formsOf("alarme desarme gendarme confirme reafirme enferme estandarte inserte síndrome máxime índole " +
	"reparti comparti infarti allarmi disarmi gendarmi commerci squarci incarne apparsi comparsi scomparsi cosparsi " +
	"girandola girandole mutandone imperla imperli")

// unstressed undoes the accents that mark the stress of a Spanish verb with pronouns. Those
// of oír and decía stay.
var unstressed = strings.NewReplacer("aír", "aír", "eír", "eír", "oír", "oír", "ía", "ía",
	"á", "a", "é", "e", "í", "i", "ó", "o", "ú", "u")

// splitEnclitics returns the verb and the pronouns of a form, or nil if it is something else.
func splitEnclitics(form, language string) (words []string) {
	expression, ok := enclitics[language]
	lower := foldLower(form)
	if !ok || bound[lower] {
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
	return copyCase(form, lower, words)
}

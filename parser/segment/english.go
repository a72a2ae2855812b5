package segment

import "strings"

// All that is said about English is in this file. Blocks of other languages are cut
// without it.

// Forms are in lower case, abbreviations without their period.
var (
	// reporting lists verbs behind the quotes of a question or a shout: "Who?" Ann asked.
	reporting = formsOf(`said says asked asks replied replies answered answers shouted shouts cried yelled screamed whispered
		muttered murmured mumbled called exclaimed demanded repeated wondered snapped added continued told gasped
		growled inquired enquired insisted interrupted joked roared suggested teased urged`)

	// closing lists abbreviations that may end a sentence: on Elm St. She is out.
	closing = formsOf(`st ave rd blvd ln corp inc ltd co llc mon tue tues wed thu thur thurs fri sat sun jan feb mar apr jun jul
		aug sep sept oct nov dec ft lb lbs oz mi yd hr hrs min mins sec secs a.m p.m am pm etc jr sr`)

	// starting lists words that begin a sentence where they are capitalized.
	starting = formsOf(`she he it they we you its their his my our your this these those there but please when if what who why
		how where is are do does did can could would`)

	// units lists abbreviations behind a number, and inner others, that end no sentence
	// before a word in lower case: 5 ft. 4 in. tall.
	units = formsOf("in ft yd mi oz lb lbs sq cu gal qt pt tsp tbsp min max hr hrs sec deg")
	inner = formsOf("approx pop est dept govt incl excl misc avg temp ref min max ext")
)

func formsOf(list string) map[string]bool {
	set := map[string]bool{}
	for form := range strings.FieldsSeq(list) {
		set[form] = true
	}
	return set
}

// hosts lists words whose 's is often written without its apostrophe.
var hosts = formsOf(`it that let he she what there here who how where when why else this one someone anyone everyone nobody
	somebody anybody everybody`)

// isPlural reports whether the token has been split like a word with 's although it has
// no apostrophe and no capital, and looks like a noun: workers.
func (t *token) isPlural() bool {
	return len(t.words) == 2 && t.words[1] == "s" && t.role&roleLower != 0 && !hosts[t.words[0]]
}

// lower returns the text of token i in lower case, "" if there is none.
func (w *workspace) lower(i int) string {
	if i < 0 || i >= len(w.tokens) {
		return ""
	}
	return strings.ToLower(w.layout.text(w.tokens[i].span))
}

// endsInEnglish says whether a sentence ends behind token i, before another one on the
// same line, if the classifier says ends.
func (w *workspace) endsInEnglish(i int, ends bool) bool {
	t, next := &w.tokens[i], &w.tokens[i+1]
	switch {
	case ends && t.role&roleQuote != 0:
		return !w.reports(i)
	case ends && next.role&roleLower != 0:
		return !w.abbreviates(i)
	case !ends && next.role&roleCapital != 0 && t.gap != gapNone:
		form, period := strings.CutSuffix(w.lower(i), ".")
		return period && closing[form] && starting[w.lower(i+1)]
	}
	return ends
}

// mostReporters bounds the words of the subject of a reporting verb.
const mostReporters = 4

// reports reports whether a question or a shout ends with the quote i, and a clause such
// as "my aunt asked" or "Mrs. Bo said softly", and nothing else, follows up to the next
// punctuation mark.
func (w *workspace) reports(i int) bool {
	if mark := w.lower(i - 1); mark == "" || strings.Trim(mark, "?!") != "" {
		return false
	}
	verb := i + 2
	for verb < len(w.tokens) && !reporting[w.lower(verb)] {
		if verb-i > mostReporters || w.tokens[verb].role&roleWord == 0 {
			return false
		}
		verb++
	}
	if verb >= len(w.tokens) || w.tokens[i+1].role&roleWord == 0 {
		return false
	}
	behind := verb + 1
	if behind < len(w.tokens) && w.tokens[behind].role&roleLower != 0 {
		behind++ // softly, me
	}
	return behind >= len(w.tokens) || w.tokens[behind].role&roleWord == 0
}

// abbreviates reports whether token i is the period of an abbreviation that goes on with
// a word in lower case, or ends with it.
func (w *workspace) abbreviates(i int) bool {
	form, period := strings.CutSuffix(w.lower(i), ".")
	if !period {
		return false
	}
	if form == "" { // the period is a token of its own
		if i == 0 || w.tokens[i-1].gap != gapNone {
			return false
		}
		i--
		form = w.lower(i)
	}
	number := i > 0 && w.layout.class[w.tokens[i-1].end-1] == classDigit
	return inner[form] || number && units[form]
}

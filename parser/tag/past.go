package tag

import "strings"

// A verbal says what a form can be that is the past of an irregular English verb.
type verbal uint8

const (
	anything   verbal = iota
	notPresent        // no auxiliary, and no present, infinitive or imperative
	verbOrName        // besides, only a verb or a name
	verbOnly
)

// Irregular pasts and participles of English. Forms that are also a present (found, bore, lay)
// are missing. A treebank lacks many of these, and then the encoder takes sank for a present.
const (
	mixedPasts = `beaten begotten begun bereft bit bitten blown born bought bred broke broken built burnt
		caught chosen dealt drawn driven drunk eaten fallen fed felt forgiven forgotten forsaken
		fought frozen given gone gotten grown held hid hidden hung kept known laid leant leapt
		learnt led left lent lit lost made meant met mistaken overtaken paid proven ridden risen
		rode rose rung said sewn shaken shot shown shrunk slain slew sold sown spat sped spelt spent
		spilt spoilt spoke spoken spun stole stolen stood stricken struck stuck sung sunk swept
		swollen sworn taken thought thrown torn trodden unwound woken won worn woven written wrought`
	plainPasts = `arisen arose ate awoke awoken bade became befell began begat beheld besought betook bled
		blew brought came chose clung crept drank dreamt drew drove dwelt fled flew flung forbade
		forbidden forbore foresaw foreseen foretold forgave forgot forsook forwent froze gave grew
		heard knelt knew misled mistook misunderstood outgrew overcame overheard overslept overthrew
		overtook partook ran rang redid rewrote sang sank sat seen sent shone shook shrank slept
		slid slung slunk smote sought sprang sprung stank striven strode strove strung stung swam
		swore swum swung taught threw told took tore trod understood undertook underwent undid
		upheld went wept withdrawn withdrew withheld withstood woke wore wove wrote wrung`
)

var pasts = func() map[string]verbal {
	m := map[string]verbal{}
	for _, form := range strings.Fields(mixedPasts) {
		m[form] = notPresent
	}
	for _, form := range strings.Fields(plainPasts) {
		m[form] = verbOrName
	}
	return m
}()

// verbalOf returns what a form that the treebank does not often have can be. A name begins with
// a capital.
func verbalOf(form string) verbal {
	lower := strings.ToLower(form)
	if v := pasts[lower]; v != verbOrName || form != lower {
		return v
	}
	return verbOnly
}

// allows reports whether a form can have an English label.
func (v verbal) allows(upos, xpos string) bool {
	switch {
	case v == anything:
		return true
	case upos == "VERB":
		return xpos != "VB" && xpos != "VBP" && xpos != "VBZ"
	case v == notPresent:
		return upos != "AUX"
	}
	return v == verbOrName && upos == "PROPN"
}

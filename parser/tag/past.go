package tag

import "strings"

// A verbal says what a form can be that is the past of an irregular English verb.
type verbal uint8

const (
	anything   verbal = iota
	notPresent        // no present, infinitive or imperative
	verbOnly          // besides, a verb or part of a name
)

// Irregular pasts and participles of English. Forms that are also a present (found, bore, lay)
// are missing. A treebank lacks many of these, and then the encoder takes sank for a present.
const (
	mixedPasts = `beaten been begotten begun bent bereft bit bitten bled blown born bred broke broken
		built burnt bought caught chosen dealt done drawn driven drunk eaten fallen fed felt foreseen
		forgiven forgotten forsaken fought frozen given gone got gotten grown heard held hid hidden hung
		kept known laid leant leapt learnt led left lent lit lost made meant met mistaken overtaken paid
		proven rang ridden risen rode rose rung said seen sewn shaken shone shot shown shrunk slain slew
		slung sold sought sown spat sped spelt spent spilt spoilt spoke spoken spun sprung stole stolen
		stood stricken struck strung stuck stung sung sunk swept swollen sworn swum taken taught thought
		thrown told torn trodden understood unwound upheld woken won worn woven written wrought`
	plainPasts = `arisen arose ate awoke awoken bade became befell began begat beheld besought betook blew
		brought came chose clung crept drank dreamt drew drove dwelt fled flew flung forbade forbidden forbore
		foresaw foretold forgave forgot forsook forwent froze gave grew knelt knew misled mistook misunderstood
		outgrew overcame overheard overslept overthrew overtook partook ran redid rewrote sang sank
		sat sent shook shrank slept slid slunk smote sprang stank strode strove striven swam swore swung
		threw took tore trod undertook underwent undid went wept withdrawn withdrew withheld withstood
		woke wore wove wrote wrung`
)

var pasts = func() map[string]verbal {
	m := map[string]verbal{}
	for _, form := range strings.Fields(mixedPasts) {
		m[form] = notPresent
	}
	for _, form := range strings.Fields(plainPasts) {
		m[form] = verbOnly
	}
	return m
}()

// allows reports whether a form can have an English label.
func (v verbal) allows(upos, xpos string) bool {
	switch {
	case v == anything, upos == "PROPN", upos == "X":
		return true
	case upos == "VERB", upos == "AUX":
		return xpos != "VB" && xpos != "VBP" && xpos != "VBZ"
	}
	return v == notPresent
}

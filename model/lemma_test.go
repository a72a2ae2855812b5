package model

import (
	"strings"
	"testing"
)

// everyday are sentences of ours, and lemmas of words in them: numbers, names,
// contractions, plurals, comparatives, irregular verbs, and words that the
// treebank of the embedded model has not.
var everyday = []struct {
	text   string
	lemmas string // form=lemma
}{
	{"The company paid 4,000 dollars for 9,700 tickets in 2031.", "4,000=4000 9,700=9700 2031=2031 paid=pay dollars=dollar tickets=ticket"},
	{"It costs 1,234.56 dollars, or 25% more than in the 1990s.", "1,234.56=1234.56 1990s=1990s costs=cost more=more"},
	{"It was raining while Daniel was climbing the hill.", "Daniel=Daniel raining=rain climbing=climb was=be"},
	{"You ought to know that we can't stay.", "ought=ought ca=can n't=not we=we"},
	{"They overcame their fear and withheld the truth.", "overcame=overcome withheld=withhold They=they"},
	{"We'll rebuild the houses before the children come.", "'ll=will rebuild=rebuild houses=house children=child"},
	{"She's happier and taller than the women I've met.", "'s=be happier=happy taller=tall women=woman 've=have"},
	{"The hottest days came in July.", "hottest=hot days=day came=come July=July"},
	{"It was the worst and the funniest film.", "worst=bad funniest=funny"},
	{"The Americans and the Germans won three medals.", "Americans=American Germans=German won=win medals=medal"},
	{"The puppies are wagging their tails.", "puppies=puppy wagging=wag tails=tail"},
	{"Scientists discovered two new galaxies.", "discovered=discover galaxies=galaxy"},
	{"The policewomen unlocked the shelves.", "policewomen=policewoman unlocked=unlock shelves=shelf"},
	{"He peeled the carrots and hummed.", "peeled=peel hummed=hum"},
	{"She sang while the thieves fled.", "sang=sing thieves=thief fled=flee"},
	{"We jogged along the canals and googled the cheapest hotel.", "jogged=jog canals=canal googled=google cheapest=cheap"},
	{"The mice have eaten the loaves.", "mice=mouse eaten=eat loaves=loaf"},
}

// TestEverydayLemmas lets 3 of the 60 be wrong: of words that the treebank has
// not, irregular ones without a known word inside cannot be known.
func TestEverydayLemmas(t *testing.T) {
	m := must(Open(Embedded))
	n, wrong := 0, 0
	for _, e := range everyday {
		got := map[string]string{}
		sents := m.Segment(e.text, 1000)
		for i := range sents {
			m.Tag(&sents[i], true)
			for _, w := range sents[i].Words {
				if got[w.Form] == "" {
					got[w.Form] = w.Lemma
				}
			}
		}
		for _, pair := range strings.Fields(e.lemmas) {
			form, want, _ := strings.Cut(pair, "=")
			n++
			if got[form] != want {
				wrong++
				t.Logf("%s: %q, want %q, in %q", form, got[form], want, e.text)
			}
		}
	}
	if n != 60 {
		t.Errorf("%d words and numbers, want 60", n)
	}
	if wrong > 3 {
		t.Errorf("%d of %d lemmas are wrong", wrong, n)
	}
}

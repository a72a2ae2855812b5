package label

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/syntax"
)

// inEnglish returns sentences of English words that rules of English are about.
func inEnglish(rng *rand.Rand, trees, longest int) []syntax.Sentence {
	words := []syntax.Word{
		{Form: "gave", Lemma: "give", UPOS: "VERB", XPOS: "VBD"}, {Form: "left", Lemma: "leave", UPOS: "VERB", XPOS: "VBN"},
		{Form: "is", Lemma: "be", UPOS: "AUX", XPOS: "VBZ"}, {Form: "got", Lemma: "get", UPOS: "AUX", XPOS: "VBD"},
		{Form: "boy", Lemma: "boy", UPOS: "NOUN", XPOS: "NN"}, {Form: "Day", Lemma: "Day", UPOS: "PROPN", XPOS: "NNP"},
		{Form: "him", Lemma: "he", UPOS: "PRON", XPOS: "PRP"}, {Form: "of", Lemma: "of", UPOS: "ADP", XPOS: "IN"},
		{Form: "'s", Lemma: "'s", UPOS: "PART", XPOS: "POS"}, {Form: "red", Lemma: "red", UPOS: "ADJ"},
	}
	list := sample(rng, trees, longest)
	for k := range list {
		for i := range list[k].Words {
			w := words[rng.IntN(len(words))]
			w.Head = list[k].Words[i].Head
			list[k].Words[i] = w
		}
	}
	return list
}

// brokenEnglish counts the rules of English that a labelled tree breaks, as english.go
// says them: word by word, from the strings.
func brokenEnglish(words []syntax.Word) (count int) {
	below := func(m int, lemmas string) bool {
		for k := range words {
			if int(words[k].Head) == m+1 && words[k].UPOS == "AUX" && slices.Contains(strings.Fields(lemmas), words[k].Lemma) {
				return true
			}
		}
		return false
	}
	bare := func(m int) bool {
		if !slices.Contains([]string{"NOUN", "PROPN", "PRON"}, words[m].UPOS) {
			return false
		}
		for k := range words {
			if int(words[k].Head) != m+1 {
				continue
			}
			if words[k].UPOS == "ADP" {
				return false
			}
			for x := range words {
				if k < m && words[k].UPOS == "VERB" && int(words[x].Head) == k+1 && words[x].UPOS == "ADP" {
					return false
				}
			}
		}
		return true
	}
	for m := range words {
		h := int(words[m].Head) - 1
		if h < 0 {
			continue
		}
		given := false // m is what is given
		for k := h + 1; k < m; k++ {
			given = given || int(words[k].Head) == h+1 && bare(k) && words[h].UPOS == "VERB" && bare(m)
		}
		recipient := h > m && words[m].UPOS == "NOUN" && words[h].UPOS == "NOUN" && bare(m) && words[h].Head > 0 &&
			int(words[h].Head) <= m && words[words[h].Head-1].UPOS == "VERB"
		red := false
		for k := range words {
			switch {
			case int(words[k].Head) == m+1 && words[k].UPOS == "PART":
				recipient = false
			case words[k].Head == words[h].Head && k < m && k >= int(words[h].Head) && bare(k):
				recipient = false
			case int(words[k].Head) == h+1 && m < k && k < h && words[k].UPOS == "ADJ":
				red = true
			}
		}
		if recipient && red {
			count++
		}
		wrong := false
		switch words[m].Deprel {
		case "nsubj:pass", "csubj:pass":
			wrong = words[h].XPOS != "" && words[h].XPOS != "VBN" && !below(h, "be get")
		case "nsubj:outer":
			wrong = words[h].UPOS == "VERB" && !below(h, "be")
		case "obl", "obl:unmarked", "iobj":
			wrong = given && words[m].Lemma != "Day" && words[m].UPOS != "PRON"
		case "xcomp":
			wrong = given && words[h].Lemma != "leave" && !below(m, "be")
		case "case":
			wrong = words[m].UPOS == "ADP" && (words[h].Deprel == "obj" || words[h].Deprel == "iobj")
		}
		if wrong {
			count++
		}
	}
	return count
}

// strictEnglish is strict for relations that rules of English are about.
func strictEnglish(rng *rand.Rand) *Model {
	m := strictOf(rng, "case nsubj obj csubj:pass nsubj:pass nsubj:outer iobj xcomp obl obl:unmarked aux")
	m.Obey("en")
	return m
}

func TestEnglishAgainstEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 2))
	againstEnumeration(t, rng, inEnglish(rng, 900, 5), strictEnglish, func(words []syntax.Word) int {
		return brokenRules(words) + brokenEnglish(words)
	})
}

func TestVerbBehind(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"Does/AUX the/DET bus/NOUN stop/NOUN here/ADV ?/PUNCT", "the bus stop here"},
		{"When/ADV will/AUX the/DET shop/NOUN open/ADJ", "the shop open"},
		{"Wo/AUX n't/PART it/PRON work/NOUN ,/PUNCT Tom/PROPN ?/PUNCT", "n't it work"},
		{"Does/AUX the/DET bus/NOUN stop/VERB here/ADV ?/PUNCT", ""}, // it has a verb
		{"Is/AUX the/DET bus/NOUN stop/NOUN here/ADV ?/PUNCT", ""},   // be needs none
		{"Yes/INTJ ,/PUNCT I/PRON do/AUX ./PUNCT", ""},
		{"So/ADV does/AUX her/PRON brother/NOUN ./PUNCT", ""},
		{"Can/AUX cats/NOUN and/CCONJ dogs/NOUN live/VERB together/ADV ?/PUNCT", ""}, // behind the conjunction
		{"as/ADV much/ADV as/SCONJ they/PRON can/AUX with/ADP thier/ADJ help/NOUN", ""},
		{"The/DET bus/NOUN stop/NOUN", ""},
		{"", ""},
	} {
		var words []syntax.Word
		for x := range strings.FieldsSeq(c.text) {
			form, upos, _ := strings.Cut(x, "/")
			words = append(words, syntax.Word{Form: form, UPOS: upos})
		}
		var got []string
		from, to, ok := VerbBehind(words)
		for i := from; i < to; i++ {
			got = append(got, words[i].Form)
		}
		if list := strings.Join(got, " "); list != c.want || ok != (c.want != "") {
			t.Errorf("%s: %q, %v, want %q", c.text, list, ok, c.want)
		}
	}
}

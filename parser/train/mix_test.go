package train

import (
	"testing"
	"unicode/utf8"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/eval"
	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/syntax"
)

// An oracle is an encoder that knows gold by the sentences' IDs, and gives what
// is right 8 nats more than the rest: always, or, if it lies, what is wrong.
type oracle struct {
	m    *model.Model
	gold map[string]*syntax.Sentence
	lies bool
}

func (x *oracle) score(right bool) int32 {
	if right != x.lies {
		return 0
	}
	return -8 * 4096
}

func (x *oracle) Encode(sents []*syntax.Sentence) {
	for _, s := range sents {
		n, gold, d := len(s.Words), x.gold[s.ID], &s.Dense
		for h := range n + 1 {
			for m := range n + 1 {
				d.Arcs = append(d.Arcs, x.score(m > 0 && int(gold.Words[m-1].Head) == h))
			}
		}
		for _, w := range gold.Words {
			for t := range x.m.Tagger.NumTags() {
				upos, _ := x.m.Tagger.TagName(t)
				d.Tags = append(d.Tags, x.score(upos == w.UPOS))
			}
			for f := range x.m.Tagger.NumFeats() {
				feats, _ := x.m.Tagger.FeatsName(f)
				d.Feats = append(d.Feats, x.score(feats == w.Feats))
			}
		}
	}
}

func (x *oracle) Labels(s *syntax.Sentence) {
	s.Dense.Labels = nil
	for _, w := range x.gold[s.ID].Words {
		for _, l := range x.m.Labeler.Relations() {
			s.Dense.Labels = append(s.Dense.Labels, x.score(l == w.Deprel))
		}
	}
}

func (*oracle) Starts(dst []int32, _ []*syntax.Sentence) []int32 { return dst }

func (*oracle) Reach() int { return 0 }

func (*oracle) Begins(dst []int32, text string) []int32 {
	return append(dst, make([]int32, utf8.RuneCountInString(text))...)
}

// The factors of an encoder that knows are those with which the model is right,
// and those of one that lies are 0.
func TestMixFitsTheEncoder(t *testing.T) {
	if testing.Short() {
		t.Skip("trains a whole model")
	}
	train, dev := grammar("train", 3, 1), grammar("dev", 40, 2)
	data, err := Run(train, dev, Options{Seed: 1, Folds: 2})
	if err != nil {
		t.Fatal(err)
	}
	f, err := model.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	for _, lies := range []bool{false, true} {
		m, err := model.New(f)
		if err != nil {
			t.Fatal(err)
		}
		x := &oracle{m, map[string]*syntax.Sentence{}, lies}
		for i := range dev.Sentences {
			x.gold[dev.Sentences[i].ID] = &dev.Sentences[i]
		}
		m.Encoder = x
		j := job{Options: Options{Log: func(string, ...any) {}}}
		fitted, err := mixOf([]eval.Bank{{Model: m, Gold: dev.Sentences}}, j)
		if err != nil {
			t.Fatal(err)
		}
		decided := fitted
		decided.Feats = 0 // every tag of the grammar has one
		if lies != (decided == model.Mix{}) {
			t.Errorf("lies %t: %+v", lies, fitted)
		}
		right := func(m *model.Model, encoder model.Encoder) (n int) {
			c := *m
			c.Mix, c.Encoder = fitted, encoder
			out, err := eval.Predict(&c, search.Options{Seed: eval.SearchSeed}, dev.Sentences, nil, eval.GoldTokens, 1)
			if err != nil {
				t.Fatal(err)
			}
			for i := range out {
				for k, w := range out[i].Words {
					if g := dev.Sentences[i].Words[k]; g.Head == w.Head && g.Deprel == w.Deprel {
						n++
					}
				}
			}
			return n
		}
		with, alone := right(m, x), right(m, nil)
		if all := syntax.CountWords(dev.Sentences); lies && with != alone || !lies && (with < all*98/100 || alone > all*95/100) {
			t.Errorf("lies %t: %d of %d words are right, %d without the encoder", lies, with, all, alone)
		}
	}
}

// A factor rises, or falls, as far as that costs next to nothing, and is 0 if the scores gain next to nothing.
func TestFactorsRiseOrAreZero(t *testing.T) {
	for _, c := range []struct {
		words int
		falls bool
		zero  int           // words that are right without the scores
		right map[int32]int // words that are right with a factor; 0 with others
		want  int32
	}{
		{10_000, false, 8000, map[int32]int{24: 9000, 32: 8990, 48: 8990}, 24},
		{10_000, false, 8000, map[int32]int{24: 9000, 32: 8998, 48: 8990}, 32},
		{10_000, false, 8000, map[int32]int{24: 9000, 32: 8990, 48: 8998}, 48},
		{10_000, true, 8000, map[int32]int{24: 9000, 32: 9000, 16: 8990}, 24},
		{10_000, true, 8000, map[int32]int{24: 9000, 16: 8998, 8: 8990}, 16},
		{10_000, true, 8000, map[int32]int{24: 9000, 16: 8990, 8: 8998}, 8},
		{10_000, false, 8995, map[int32]int{24: 9000}, 24},
		{10_000, false, 8996, map[int32]int{24: 9000}, 0},
		{10_000, false, 9001, map[int32]int{24: 9000}, 0},
		{1000, false, 900, map[int32]int{24: 900, 32: 900}, 0},
		{1000, false, 899, map[int32]int{24: 900, 32: 899}, 24},
	} {
		s := syntax.Sentence{Words: make([]syntax.Word, c.words)}
		run := func(m *model.Model, s *syntax.Sentence) error {
			n := c.right[m.Mix.Feats]
			if m.Mix.Feats == 0 {
				n = c.zero
			}
			for i := range n {
				s.Words[i].Feats = "Right=Yes"
			}
			return nil
		}
		f := &mixer{
			job: job{Options: Options{Log: func(string, ...any) {}}}, models: []*model.Model{{}},
			gold: []syntax.Sentence{s}, sents: []syntax.Sentence{s}, mix: FirstMix,
		}
		f.climb(figure{"FEATS", run, func(_, w *syntax.Word) []bool { return []bool{w.Feats != ""} }},
			factor{"feats", c.falls, func(x *model.Mix) *int32 { return &x.Feats }})
		if f.mix.Feats != c.want || f.err != nil {
			t.Errorf("%d of %d without, %v: factor %d, want %d (%v)", c.zero, c.words, c.right, f.mix.Feats, c.want, f.err)
		}
	}
}

// What a fit holds of the encoder's scores is bounded, however many FEATS a treebank
// has; few have so many that words are left out.
func TestMixIsBounded(t *testing.T) {
	dev := grammar("dev", 20_000, 2).Sentences
	for _, feats := range []int{0, 100, 3000, 20_000, 65_535} {
		n := mixSize(dev, 60+feats)
		words := syntax.CountWords(dev[:n])
		if bytes := words * 4 * (60 + feats); words > mixWords || bytes > mixBytes {
			t.Errorf("%d FEATS: %d words, %d MB", feats, words, bytes>>20)
		}
		if least := min(mixWords, mixBytes/4/(60+feats)) - dev[n].Len(); words < least {
			t.Errorf("%d FEATS: only %d words, want %d", feats, words, least)
		}
	}
}

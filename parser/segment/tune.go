package segment

import (
	"slices"
	"strings"
	"sync"

	"github.com/treebeam/treebeam/parser/syntax"
)

// A threshold farther from 0 must raise the F1 by more than slack, because dev
// sets are small.
const slack = 0.003

// colonCost is what a sentence end behind a colon inside a line costs in a model whose colons
// are tuned to end none: in units, more than all features are worth.
const colonCost = 24 * unit

// tune sets the threshold by the F1 of sentences on dev. If that does not lower the
// F1, it also lets no sentence end behind a colon inside a line. The text of a
// treebank has a paragraph on one line, former headings and lists included. In some
// treebanks sentences often end there; in others most such ends are mistakes.
func (m *Model) tune(dev []syntax.Sentence, o Options) {
	all, r := paragraphs(dev), &Request{Begins: o.Begins}
	best, chosen := -1.0, int32(0)
	for _, quarters := range []int32{0, -1, 1, -2, 2, -3, 3} {
		m.threshold = quarters * unit / 4
		if f1 := m.sentenceF1(all, r); f1 > best+slack {
			best, chosen = f1, m.threshold
		}
	}
	m.threshold = chosen
	o.log("segmenter: sentence F1 on dev %.2f with threshold %+.2f", 100*best, float64(chosen)/unit)
	if len(all) == 0 {
		return
	}
	m.colons = true
	if f1 := m.sentenceF1(all, r); f1 >= best {
		o.log("segmenter: sentence F1 on dev %.2f with no end behind a colon inside a line", 100*f1)
	} else {
		m.colons = false
	}
}

// A Dev is a treebank on which FitStarts tries portions. Its request has Starts, the language
// and Begins.
type Dev struct {
	*Model
	Sentences []syntax.Sentence
	Request   Request
}

// FitStarts returns the portion of Starts of a grid, the same for all treebanks, that brings the
// highest mean F1 of sentences, and the mean without and with it, in [0,1]. A portion for each
// of many small treebanks would be worse on other text.
func FitStarts(list []Dev) (p Portion, alone, best float64) {
	list = slices.Clone(list)
	var all [][]paragraph
	for i := range list {
		all = append(all, paragraphs(list[i].Sentences))
		list[i].Request.Starts = rememberedStarts(list[i].Request.Starts)
	}
	f1 := func(p Portion) (sum float64) {
		scores := make([]float64, len(list))
		var wg sync.WaitGroup
		for i := range list {
			wg.Go(func() {
				d := &list[i]
				d.Request.Portion = p
				scores[i] = d.sentenceF1(all[i], &d.Request)
			})
		}
		wg.Wait()
		for _, f := range scores {
			sum += f
		}
		return sum / float64(len(list))
	}
	alone = f1(Portion{})
	best = alone
	for _, factor := range factors[1:] {
		for _, bias := range biases {
			try := Portion{factor, bias * unit / 4}
			if f := f1(try); f > best {
				p, best = try, f
			}
		}
	}
	return p, alone, best
}

// rememberedStarts returns Starts that ask others for each window once.
func rememberedStarts(starts Starts) Starts {
	known := map[string][]int32{}
	return func(dst []int32, windows []*syntax.Sentence) []int32 {
		for _, s := range windows {
			var key strings.Builder
			for i := range s.Words {
				key.WriteString(s.Words[i].Form + "\t" + s.Words[i].Misc + "\n")
			}
			if _, ok := known[key.String()]; !ok {
				known[key.String()] = starts(nil, []*syntax.Sentence{s})
			}
			dst = append(dst, known[key.String()]...)
		}
		return dst
	}
}

// sentenceF1 segments the text of the paragraphs and compares sentences.
func (m *Model) sentenceF1(all []paragraph, r *Request) float64 {
	w := &workspace{}
	right, total := 0, 0
	for _, p := range all {
		b, want := newGoldBlock(p), map[span]bool{}
		for s := range sentences(b.tokens) {
			want[span{s[0].start, s[len(s)-1].end}] = true
		}
		w.read(m, b.layout.block, r)
		w.cutAll(m, r)
		total += len(want)
		for s := range sentences(w.tokens) {
			total++
			if want[span{s[0].start, s[len(s)-1].end}] {
				right++
			}
		}
	}
	return 2 * float64(right) / float64(max(1, total))
}

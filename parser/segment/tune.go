package segment

import (
	"slices"

	"github.com/treebeam/treebeam/parser/syntax"
)

// Thresholds are tried in steps of thresholdStep up to thresholdSteps of them
// on both sides of 0. Among those whose F1 is at most slack below the best one
// the nearest to 0 wins: a dev set is too small for more.
const (
	thresholdStep  = unit / 4
	thresholdSteps = 3
	slack          = 0.003
)

// tune sets the threshold by the F1 of sentences on dev.
func (m *Model) tune(dev []syntax.Sentence, o Options) {
	all := paragraphs(dev)
	if len(all) == 0 {
		return
	}
	var f1 [2*thresholdSteps + 1]float64
	for i := range f1 {
		m.threshold = int32(i-thresholdSteps) * thresholdStep
		f1[i] = m.sentenceF1(all)
	}
	best := slices.Max(f1[:])
	for k := 0; k <= thresholdSteps; k++ {
		for _, i := range [...]int{thresholdSteps - k, thresholdSteps + k} {
			if f1[i] >= best-slack {
				m.threshold = int32(i-thresholdSteps) * thresholdStep
				o.log("segmenter: sentence F1 on dev %.2f with threshold %+.2f", 100*f1[i], float64(m.threshold)/unit)
				return
			}
		}
	}
}

// sentenceF1 segments the text of the paragraphs and compares sentences.
func (m *Model) sentenceF1(all []paragraph) float64 {
	w := &workspace{}
	right, total := 0, 0
	for _, p := range all {
		b, want := newGoldBlock(p), map[span]bool{}
		b.sentences(func(start, end int) { want[span{b.tokens[start].start, b.tokens[end-1].end}] = true })
		w.read(m, b.layout.block)
		w.cut(m)
		start := int32(0)
		for _, end := range w.ends {
			if want[span{w.tokens[start].start, w.tokens[end.at-1].end}] {
				right++
			}
			start = end.at
		}
		total += len(want) + len(w.ends)
	}
	return 2 * float64(right) / float64(max(1, total))
}

package segment

import (
	"slices"

	"github.com/treebeam/treebeam/parser/syntax"
)

// Thresholds are tried in steps of thresholdStep up to thresholdSteps of them
// on both sides of 0. Among those whose F1 is at most slack below the best one
// the nearest to 0 wins: a dev set is too small for more.
const (
	thresholdStep  = weightScale / 4
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
				o.log("segmenter: sentence F1 on dev %.2f with threshold %+.2f", 100*f1[i], float64(m.threshold)/weightScale)
				return
			}
		}
	}
}

// sentenceF1 segments the text of the paragraphs and compares sentences.
func (m *Model) sentenceF1(all []paragraph) float64 {
	w := &workspace{}
	right, gold, system := 0, 0, 0
	for _, p := range all {
		l := newLesson(p)
		want := [][2]int32{}
		start := int32(0)
		for i := range p {
			if p[i].ends {
				want = append(want, [2]int32{l.tokens[start].start, l.tokens[i].end})
				start = int32(i + 1)
			}
		}
		m.tokenize(l.layout.block, w)
		m.cut(w.tokens, w)
		start = 0
		for _, end := range w.ends {
			got := [2]int32{w.tokens[start].start, w.tokens[end-1].end}
			if _, found := slices.BinarySearchFunc(want, got, compareSpans); found {
				right++
			}
			start = end
		}
		gold += len(want)
		system += len(w.ends)
	}
	if right == 0 {
		return 0
	}
	return 2 * float64(right) / float64(gold+system)
}

func compareSpans(a, b [2]int32) int {
	if a[0] != b[0] {
		return int(a[0] - b[0])
	}
	return int(a[1] - b[1])
}

package segment

import (
	"slices"

	"github.com/treebeam/treebeam/parser/syntax"
)

// tune sets the threshold that gives the best F1 of sentences on dev.
func (m *Model) tune(dev []syntax.Sentence, o Options) {
	all := paragraphs(dev)
	if len(all) == 0 {
		return
	}
	best, bestF1 := int32(0), -1.0
	for step := int32(-6); step <= 6; step++ {
		m.threshold = step * weightScale / 4
		if f1 := m.sentenceF1(all); f1 > bestF1 {
			best, bestF1 = m.threshold, f1
		}
	}
	m.threshold = best
	o.log("segmenter: sentence F1 on dev %.2f with threshold %+.2f", 100*bestF1, float64(best)/weightScale)
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

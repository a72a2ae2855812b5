package finetune

import (
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/matrix"
	"github.com/treebeam/treebeam/parser/syntax"
)

// BenchmarkHeads is one step of 20 sentences of 28 words, 1.7 pieces a word,
// with the widths of multilingual-e5-small, 45 labels and 130 values.
func BenchmarkHeads(b *testing.B) {
	const width, levels, words, labels = 384, 13, 28, 45
	r := hash.Rand(1)
	name := func(prefix string, n uint32) string { return prefix + string(rune('A'+r.Below(n))) }
	sents := make([]syntax.Sentence, 20)
	x := &batch{start: []int{0}}
	for i := range sents {
		at := int32(x.start[i]) + 1
		var spans []span
		for m := range words {
			w := syntax.Word{Head: int32(r.Below(words)), Deprel: name("l", labels), UPOS: name("u", 17), XPOS: name("x", 40)}
			for f := range 15 {
				if f > 0 {
					w.Feats += "|"
				}
				w.Feats += string(rune('A'+f)) + "=" + name("v", 5)
			}
			if int(w.Head) == m+1 {
				w.Head = 0
			}
			sents[i].Words = append(sents[i].Words, w)
			n := int32(1 + r.Below(2) + r.Below(5)/3)
			spans = append(spans, span{at, at + n})
			at += n
		}
		x.sents, x.words, x.start = append(x.sents, &sents[i]), append(x.words, spans), append(x.start, int(at)+1)
	}
	rows := x.start[len(sents)]
	x.ids = make([]int32, rows)
	list := make([]matrix.Matrix, levels)
	for l := range list {
		list[l] = matrix.Of(make([]float32, rows*width), rows, width)
		for i := range list[l].Data {
			list[l].Data[i] = float32(r.Float()*2 - 1)
		}
	}
	back := like(list)
	h, err := newHeads(width, levels, sents, 1)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		h.step(x, list, back, stepOptions{seed: 1})
	}
	b.ReportMetric(float64(rows), "pieces")
}

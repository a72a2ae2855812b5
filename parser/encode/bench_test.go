package encode

import (
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/syntax"
)

// e5 is the shape of multilingual-e5-small, with few pieces.
var e5 = sizes{Shape{384, 12, 1536, 512, 1e-12, 0}, benchLayers, 30, 256, 128, 256}

// benchLayers is few, for what is measured is told a layer.
const benchLayers = 12

// BenchmarkEncode encodes sentences of 20 words and some 40 pieces.
func BenchmarkEncode(b *testing.B) {
	p, h := random(e5, 1)
	m := quantized(b, p, h)
	r := hash.Rand(1)
	var sents []*syntax.Sentence
	pieces := 0
	for range 24 {
		s := sentence(&r, 20, e5.pieces, 2)
		ids, _ := m.pieces.Sentence(nil, nil, s)
		pieces += len(ids)
		sents = append(sents, s)
	}
	b.ReportAllocs()
	for b.Loop() {
		m.Encode(sents)
		for _, s := range sents {
			m.Labels(s)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*pieces), "us/piece")
}

// BenchmarkLong encodes a window of 510 pieces.
func BenchmarkLong(b *testing.B) {
	p, _ := random(e5, 1)
	m := quantized(b, p, nil)
	ids := make([]int32, 512)
	for b.Loop() {
		m.Hidden(ids)
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(ids)), "us/piece")
}

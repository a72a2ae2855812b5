package tag

import (
	"testing"

	"github.com/treebeam/treebeam/io/conllu"
)

func BenchmarkTag(b *testing.B) {
	train, err := conllu.ReadAll("../../../shared/treebanks/en_ewt/en_ewt-ud-train.conllu")
	if err != nil {
		b.Skip(err)
	}
	m, err := Train(train[:3000], nil, Options{Epochs: 3})
	if err != nil {
		b.Fatal(err)
	}
	dev := train[3000:4000]
	words := 0
	for i := range dev {
		words += len(dev[i].Words)
	}
	b.ResetTimer()
	b.ReportAllocs()
	for range b.N {
		for i := range dev {
			m.Tag(&dev[i], true)
		}
	}
	b.ReportMetric(float64(words)*float64(b.N)/b.Elapsed().Seconds(), "tokens/s")
}

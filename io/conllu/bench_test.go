package conllu

import (
	"io"
	"os"
	"strings"
	"testing"
)

func BenchmarkReadWrite(b *testing.B) {
	data, err := os.ReadFile("testdata/text.conllu")
	must(b, err)
	text := strings.Repeat(string(data), 200)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		for block, err := range Read(strings.NewReader(text), Options{}) {
			if err != nil || block.Err != nil {
				b.Fatal(err, block.Err)
			}
			Write(io.Discard, &block.Sentence)
		}
	}
}

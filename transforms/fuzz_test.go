package transforms_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/transforms"
)

// fuzzNames are the names that bytes may have: formats go by name, too.
var fuzzNames = []string{"a.txt", "a.conllu", "a.conllx", "a.jsonl", "a.tok", "a.vert", "a", "a.txt.gz", "a.txt.zst", "a.txt.bz2"}

// fuzzOptions are options that change how bytes are read.
var fuzzOptions = []output.RowOptions{
	{From: "auto", Lines: "auto", MaxWords: 1000},
	{From: "text", Lines: "sentence", Encoding: "shift_jis", MaxWords: 3},
	{From: "auto", Lines: "paragraph", Encoding: "utf-16le", MaxWords: 50},
	{From: "auto", Lines: "auto", MaxWords: 7, KeepHeads: true, Retag: true},
	{From: "auto", Lines: "paragraph", MaxWords: 5, Document: output.ByLine},
}

// Any bytes under any name: every byte is covered, the sums close, trees are
// in order and inside the file, nothing panics, and how a file is cut into
// ranges changes no tree.
func FuzzStage(f *testing.F) {
	for i := range fuzzNames {
		f.Add([]byte("One two .\n\nThree \xff four .\n\n1\tx\t_\t_\t_\t_\t0\t_\t_\t_\n\n"), uint8(i), uint8(i), uint8(20))
		f.Add([]byte("{\"text\": \"One two .\", \"id\": 1}\n\n\n{\"text\": 3}\n[[[[\n"), uint8(i), uint8(0), uint8(9))
	}
	f.Add([]byte("\xff\xfeO\x00n\x00e\x00\n\x00\n\x00x"), uint8(0), uint8(0), uint8(3))
	f.Add([]byte("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"), uint8(7), uint8(0), uint8(1))
	f.Add([]byte("x\r\r y\v\fz\u2028\u0085 .\x00\x00"), uint8(0), uint8(4), uint8(2))
	f.Fuzz(func(t *testing.T, data []byte, name, options, cut uint8) {
		dir := t.TempDir()
		file := fuzzNames[int(name)%len(fuzzNames)]
		must(t, os.WriteFile(filepath.Join(dir, file), data, 0o644))
		o := fuzzOptions[int(options)%len(fuzzOptions)]
		whole := staged(t, dir, o, 0, int64(len(data)), filepath.Ext(file))
		if o.Document != output.ByLine && !slices.Equal(whole, staged(t, dir, o, 1+int64(cut), int64(len(data)), filepath.Ext(file))) {
			t.Errorf("pieces of %d bytes give other trees", cut)
		}
	})
}

// staged stages the files below dir, checks what every run owes, and returns
// where the trees are.
func staged(t *testing.T, dir string, o output.RowOptions, rangeBytes, size int64, ext string) (trees [][2]int64) {
	var end, blocks, segmented, blocksFailed, sentences, failed int64
	done := false
	each(t, dir, o, rangeBytes, func(c *transforms.Chunk) {
		for i := range c.Ends {
			f := &c.Ends[i]
			if f.Start != f.End && f.Start != end && !done {
				t.Fatalf("bytes %d to %d follow byte %d", f.Start, f.End, end)
			}
			if f.Start != f.End {
				end = f.End
			}
			blocks += f.Blocks
			done = done || f.Failed
			if c.Last && f.EOF && !f.Failed && !done && (ext == ".gz" || ext == ".zst" || ext == ".bz2") {
				size = end
			}
		}
		for i := range c.Segmented {
			segmented += c.Segmented[i].Blocks
			sentences += c.Segmented[i].Sentences
		}
		for i := range c.Failures {
			row := &c.Failures[i]
			if row.Kind == syntax.KindInternal || row.Reason == "" || row.Stage == "" || row.ByteOffset < 0 {
				t.Fatalf("row %+v", row)
			}
			if row.Block {
				blocksFailed++
			}
			if row.Sentence {
				failed++
			}
		}
		for i := range c.Sentences {
			s := &c.Sentences[i]
			if s.EndByte <= s.StartByte || len(s.Words) == 0 {
				t.Fatalf("a tree of %d words, bytes %d to %d", len(s.Words), s.StartByte, s.EndByte)
			}
			trees = append(trees, [2]int64{s.StartByte, s.EndByte})
		}
	})
	if !done && end != size {
		t.Fatalf("%d bytes of %d are covered", end, size)
	}
	if blocks != segmented+blocksFailed || sentences != int64(len(trees))+failed {
		t.Fatalf("%d blocks, %d segmented, %d failed; %d sentences, %d trees, %d failed", blocks, segmented, blocksFailed, sentences, len(trees), failed)
	}
	return trees
}

package pipeline

import (
	"context"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/parquet"
)

// Text of which the model does not know most words is noticed: in a run, in
// some of its files, and in a stream; a few words are not enough to tell.
func TestForeignText(t *testing.T) {
	greek, english := strings.Repeat("η βάρκα lay εκεί . ", 40), strings.Repeat("the boat lay there . ", 200)
	short := strings.Repeat("η βάρκα . ", 20)
	for name, c := range map[string]struct {
		files map[string]string
		want  []string // in the only suggestion; nil: there is none
	}{
		"all":     {map[string]string{"a.txt": greek}, []string{"75 % of the words", "toy (ASCII)", "docs/languages.md", "--model"}},
		"a file":  {map[string]string{"a.txt": english, "b.txt": greek}, []string{"1 of 2 files", "toy (ASCII)", "b.txt: 75 %", "docs/languages.md"}},
		"short":   {map[string]string{"a.txt": short}, nil},
		"none":    {map[string]string{"a.txt": english}, nil},
		"numbers": {map[string]string{"a.txt": strings.Repeat("1234 . ", 300)}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			o := options(write(t, c.files), filepath.Join(t.TempDir(), "out"))
			run(t, o)
			sum, err := output.ReadSummary(o.Output)
			if err != nil {
				t.Fatal(err)
			}
			check := func(got []string) {
				t.Helper()
				if len(got) != min(len(c.want), 1) {
					t.Fatalf("suggestions: %q", got)
				}
				for _, part := range c.want {
					if !strings.Contains(got[0], part) {
						t.Errorf("no %q in %q", part, got[0])
					}
				}
			}
			check(sum.Suggestions)
			streamed, err := Stream(context.Background(), o, new(strings.Builder))
			if err != nil {
				t.Fatal(err)
			}
			if name != "a file" { // a stream keeps no count of each file
				check(streamed.Suggestions)
			}
			if streamed.Lexical != sum.Lexical || streamed.Unknown != sum.Unknown {
				t.Errorf("the stream counted %d of %d, the run %d of %d", streamed.Unknown, streamed.Lexical, sum.Unknown, sum.Lexical)
			}
		})
	}
}

// documents/ says how many words of each file are unknown; given tags leave
// nothing to look up.
func TestUnknownWordsOfDocuments(t *testing.T) {
	o := options(write(t, map[string]string{
		"a.txt": "the βάρκα lay . 5 εκεί", "b.txt": "boats", "c.conllu": "1\tβάρκα\t_\tNOUN\t_\t_\t0\troot\t_\t_\n\n",
	}), filepath.Join(t.TempDir(), "out"))
	run(t, o)
	paths, err := output.PartPaths(o.Output, "documents")
	if err != nil {
		t.Fatal(err)
	}
	r, err := parquet.Open[parquet.Document](paths[0])
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	got := map[string]int64{}
	for doc, err := range r.All() {
		if err != nil {
			t.Fatal(err)
		}
		got[doc.DocID] = doc.UnknownWords
	}
	if want := map[string]int64{"a.txt": 2, "b.txt": 0, "c.conllu": 0}; !maps.Equal(got, want) {
		t.Errorf("unknown words: %v, want %v", got, want)
	}
}

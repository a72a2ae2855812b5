package segment_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/parser/segment"
	"github.com/treebeam/treebeam/parser/syntax"
)

// treebank reads the dev part of a treebank, or skips the test.
func treebank(t testing.TB, name string) []syntax.Sentence {
	path := "../../../shared/treebanks/" + name + "/" + name + "-ud-dev.conllu"
	if _, err := os.Stat(path); err != nil {
		t.Skipf("treebank absent: %v", err)
	}
	list, err := conllu.ReadAll(path)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func surfaceTokens(list []syntax.Sentence) (forms []string, ends map[int]bool) {
	ends = map[int]bool{}
	for _, s := range list {
		next := 0
		for i := 0; i < len(s.Words); i++ {
			if next < len(s.MWTs) && int(s.MWTs[next].First) == i+1 {
				forms = append(forms, s.MWTs[next].Form)
				i = int(s.MWTs[next].Last) - 1
				next++
				continue
			}
			forms = append(forms, s.Words[i].Form)
		}
		ends[len(strings.Join(forms, ""))] = true
	}
	return forms, ends
}

// A model of 300 sentences only must already find most of the others' ends.
func TestTreebank(t *testing.T) {
	if testing.Short() {
		t.Skip("trains a model")
	}
	list := treebank(t, "fr_sequoia")
	m, err := segment.Train(list[:300], nil, segment.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	var raw bytes.Buffer
	if err := conllu.RawText(&raw, list[300:]); err != nil {
		t.Fatal(err)
	}
	got := m.Segment(strings.TrimSpace(raw.String()), segment.Request{})
	wantForms, wantEnds := surfaceTokens(list[300:])
	gotForms, gotEnds := surfaceTokens(got)
	right := 0
	for end := range gotEnds {
		if wantEnds[end] {
			right++
		}
	}
	if p, r := float64(right)/float64(len(gotEnds)), float64(right)/float64(len(wantEnds)); p < 0.8 || r < 0.75 {
		t.Errorf("precision %.3f, recall %.3f of sentence ends", p, r)
	}
	if d := float64(len(gotForms)) / float64(len(wantForms)); d < 0.99 || d > 1.01 {
		t.Errorf("%d tokens, gold has %d", len(gotForms), len(wantForms))
	}
}

package model

import (
	"bytes"
	"errors"
	"testing"

	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/word"
)

// A model with classes of words is of a version of its own, which programs that know
// of none refuse. One without is not, and says nothing of them.
func TestModelsWithClusters(t *testing.T) {
	c := must(word.NewClusters([]word.ClusterWord{{Bits: "0", Form: "dog", Count: 2}, {Bits: "10", Form: "barks", Count: 1}}, false))
	plain := smallModel(t)
	var b pack.Builder
	word.Learn(toySentences()).WithClusters(c).Pack(b.Sub(WordName))
	_, others := split(plain, WordName)
	with := append(b.Sections, others...)
	for _, x := range []struct {
		sections []pack.Section
		version  int
	}{{plain, pack.Templates}, {with, pack.Clustered}} {
		data := must(Encode(Info{}, x.sections))
		m := must(OpenBytes(data))
		if m.Info.Templates != x.version || (m.Words.Clusters() != nil) != (x.version == pack.Clustered) {
			t.Errorf("version %d, classes %v", m.Info.Templates, m.Words.Clusters())
		}
		again, err := Encode(m.Info, m.Sections)
		if err != nil || !bytes.Equal(again, data) {
			t.Errorf("packed again it differs: %v", err)
		}
	}
	if _, err := New(&File{Info: Info{Templates: pack.Clustered}, Sections: plain}); !errors.Is(err, ErrTemplates) {
		t.Errorf("a model without classes of the version of those that have them: %v", err)
	}
}

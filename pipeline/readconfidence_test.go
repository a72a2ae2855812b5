package pipeline

import (
	"reflect"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Every value that can be written is read as it was.
func TestReadConfidence(t *testing.T) {
	var s syntax.Sentence
	c := &s.Confidence
	for i := range 4097 {
		s.Words = append(s.Words, syntax.Word{Form: "w", Head: int32(i), Deprel: "dep", Misc: "SpaceAfter=No"})
		p := float32(i) / 4096
		c.HeadConf, c.DeprelConf, c.UPOSConf = append(c.HeadConf, p), append(c.DeprelConf, 0), append(c.UPOSConf, 1-p)
	}
	for i := range c.DeprelConf {
		c.DeprelConf[i] = float32(i/2) / 4096
	}
	c.HasTreeConf, c.TreeConf, c.Certificate = true, 3.0/4096, syntax.Bound
	noteConfidence(&s)
	for b, err := range conllu.Read(strings.NewReader(string(conllu.Append(nil, &s))), conllu.Options{}) {
		if err != nil || b.Err != nil {
			t.Fatal(err, b.Err)
		}
		ReadConfidence(&b.Sentence)
		if !reflect.DeepEqual(b.Sentence.Confidence, s.Confidence) {
			t.Errorf("got %.200v", b.Sentence.Confidence)
		}
	}
}

func TestReadBadConfidence(t *testing.T) {
	for misc, want := range map[string][]float32{
		"HeadConf=0.5": {1, 0.5}, "X=y|HeadConf=0.5|HeadConf=0.1": {1, 0.5}, "": nil, "HeadConf=": nil, "HeadConf=NaN": nil,
		"HeadConf=1.01": nil, "HeadConf=-0.1": nil, "HeadConfident=1": nil,
	} {
		s := syntax.Sentence{Words: []syntax.Word{{Misc: "HeadConf=1"}, {Misc: misc}}, Comments: []string{"# tree_conf = much", "# certificate = of honour"}}
		ReadConfidence(&s)
		if want := (syntax.Confidence{HeadConf: want}); !reflect.DeepEqual(s.Confidence, want) {
			t.Errorf("%q: %+v, want %+v", misc, s.Confidence, want)
		}
	}
}

package pipeline

import (
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/parquet"
)

func TestConfidenceInMisc(t *testing.T) {
	tree := parquet.Tree{Tokens: []string{"They", "sing"}, Lemmas: []string{"", ""}, UPOS: []string{"", ""}, XPOS: []string{"", ""}, Feats: []string{"", ""},
		Head: []int32{2, 0}, Deprel: []string{"nsubj", "root"}, Deps: []string{"", ""}, Misc: []string{"", "A=b|HeadConf=1|C=d"},
		HeadConf: []float32{0.75, 1}, DeprelConf: []float32{0.5, 0.25}, Status: "ok"}
	row := Row{Format: "text", Tree: &tree}
	got := string(Formats["conllu-conf"](nil, &row))
	for _, want := range []string{"nsubj\t_\tHeadConf=0.7500|DeprelConf=0.5000\n", "root\t_\tA=b|C=d|HeadConf=1.0000|DeprelConf=0.2500\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("got\n%s\nwant %q", got, want)
		}
	}
	tree.HeadConf, tree.DeprelConf = nil, nil // of a model that is not calibrated
	if got, want := string(Formats["conllu-conf"](nil, &row)), string(Formats["conllu"](nil, &row)); got != want || !strings.Contains(got, "A=b|HeadConf=1|C=d") {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

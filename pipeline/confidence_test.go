package pipeline

import (
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/parser/syntax"
)

// sung is a row of two words with columns of confidence, from a CoNLL-U file
// that has those of an earlier parse.
func sung() *parquet.Tree {
	conf := float32(0.375)
	return &parquet.Tree{Tokens: []string{"They", "sing"}, Lemmas: []string{"", ""}, UPOS: []string{"", ""}, XPOS: []string{"", ""}, Feats: []string{"", ""},
		Comments: []string{"# sent_id = 1", "#tree_conf=0.9", "# certificate = all", "# tree_confidence = mine"},
		Head:     []int32{2, 0}, Deprel: []string{"nsubj", "root"}, Deps: []string{"", ""},
		Misc:     []string{"", "A=b|HeadConf=1|C=d|UPOSConf|UPOSConfident=x|HeadConf=0.3"},
		HeadConf: []float32{0.75, 1}, DeprelConf: []float32{0.5, 0.25}, TreeConf: &conf, Status: "ok"}
}

// What the input says of confidence is of another parse: it is replaced, and
// where there is nothing to put in its place, it goes.
func TestConfidenceInCoNLLU(t *testing.T) {
	tree := sung()
	row := output.Row{Format: "conllu", Tree: tree}
	const want = "# sent_id = 1\n# tree_confidence = mine\n# tree_conf = 0.3750\n" +
		"1\tThey\t_\t_\t_\t_\t2\tnsubj\t_\tHeadConf=0.7500|DeprelConf=0.5000\n" +
		"2\tsing\t_\t_\t_\t_\t0\troot\t_\tA=b|C=d|UPOSConfident=x|HeadConf=1.0000|DeprelConf=0.2500\n\n"
	for range 2 { // the row stays as it is
		if got := string(appendTree(nil, &row, true)); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
	if got := string(appendTree(nil, &row, false)); !strings.Contains(got, "#tree_conf=0.9\n# certificate = all\n") || !strings.Contains(got, "A=b|HeadConf=1|C=d") {
		t.Errorf("without --conf the input comes back:\n%s", got)
	}
	tree.HeadConf, tree.DeprelConf, tree.TreeConf = nil, nil, nil // of a model that is not calibrated
	const bare = "# sent_id = 1\n# tree_confidence = mine\n1\tThey\t_\t_\t_\t_\t2\tnsubj\t_\t_\n2\tsing\t_\t_\t_\t_\t0\troot\t_\tA=b|C=d|UPOSConfident=x\n\n"
	if got := string(appendTree(nil, &row, true)); got != bare {
		t.Errorf("got\n%s\nwant\n%s", got, bare)
	}
}

// The comments of raw text come first.
func TestConfidenceOfRawText(t *testing.T) {
	tree := sung()
	tree.Comments, tree.DocID, tree.SentID, tree.Text = []string{"# newdoc id = d"}, "d", "d@0", "They sing"
	got := string(appendTree(nil, &output.Row{DocID: "d", Format: "text", Tree: tree}, true))
	if want := "# newdoc id = d\n# sent_id = d@0\n# text = They sing\n# tree_conf = 0.3750\n1\t"; !strings.HasPrefix(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// All columns come back from what is written, to the 1/4096, and writing what
// was read changes nothing.
func TestConfidenceComesBack(t *testing.T) {
	s := syntax.Sentence{Words: make([]syntax.Word, 4097)}
	c := &s.Confidence
	for i := range s.Words {
		s.Words[i] = syntax.Word{Form: "w", Head: int32(i), Deprel: "dep"}
		p := float32(i) / 4096
		c.HeadConf, c.DeprelConf, c.UPOSConf = append(c.HeadConf, p), append(c.DeprelConf, 1-p), append(c.UPOSConf, p/2+0.5)
	}
	c.HasTreeConf, c.TreeConf, c.Certificate = true, 1.0/4096, syntax.Bound
	noteConfidence(&s)
	text := string(conllu.Append(nil, &s))
	if !strings.HasPrefix(text, "# tree_conf = 0.0002\n# certificate = bound\n") {
		t.Errorf("%.100s", text)
	}
	for b, err := range conllu.Read(strings.NewReader(text), conllu.Options{}) {
		if err != nil || b.Err != nil {
			t.Fatal(err, b.Err)
		}
		seen := map[string]bool{}
		for i, w := range b.Sentence.Words {
			if w.Misc != s.Words[i].Misc || seen[w.Misc] {
				t.Fatalf("word %d: %q of %q", i+1, w.Misc, s.Words[i].Misc)
			}
			seen[w.Misc] = true // so that every multiple of 1/4096 is told apart
		}
		again := b.Sentence
		again.Confidence = *c
		noteConfidence(&again)
		if got := string(conllu.Append(nil, &again)); got != text {
			t.Error("written again, it differs")
		}
	}
}

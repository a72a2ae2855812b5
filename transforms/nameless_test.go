package transforms

import (
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/syntax"
)

type nameless struct{ Stages }

func (nameless) Language() string { return "" }

// Training may not have known the language of a model.
func TestLanguageOfModelUnknown(t *testing.T) {
	if _, err := choose("m.tbm", nameless{}, nil, &output.RowOptions{Language: "de"}); err == nil || !strings.Contains(err.Error(), "does not say which") {
		t.Errorf("%v", err)
	}
	if _, err := choose("m.tbm", nameless{}, nil, &output.RowOptions{}); err != nil {
		t.Error(err)
	}
}

// The rows of Trees name the models of all languages, also if the model is a file of many, and
// if only workers see it.
func TestProvenanceOfWorld(t *testing.T) {
	for _, uri := range []string{model.Embedded, model.EmbeddedWorld} {
		o := Options{Model: uri, Language: "de"}
		p, err := o.checked()
		if err != nil {
			t.Fatal(err)
		}
		unseen := p
		unseen.Digest, unseen.Rows.Language, unseen.Rows.World = "", "German", ""
		for _, of := range []parsing{p, unseen} {
			made, err := of.provenance()
			if err != nil || made.ModelDigest != p.Digest || made.Options != p.Rows || made.Options.World == "" {
				t.Errorf("%s: %+v, %v, want %+v", uri, made, err, p.Rows)
			}
		}
	}
}

// A sentence of CoNLL tells its language by its words if it comes without its text, as it does
// to the reader of a run.
func TestLanguageWithoutText(t *testing.T) {
	o := output.RowOptions{Language: "auto"}
	m, _, err := Open(model.Embedded, &o)
	if err != nil {
		t.Fatal(err)
	}
	const german = "Die Regierung hat gestern beschlossen , dass die Steuern in diesem Jahr nicht weiter erhöht werden sollen ."
	for _, text := range []string{german, ""} {
		var s Sentence
		for form := range strings.FieldsSeq(german) {
			s.Words = append(s.Words, syntax.Word{Form: form, Head: syntax.NoHead})
		}
		s.Text = text
		c := SegmentChunk(Chunk{Files: []output.File{{}}, Sentences: []Sentence{s}}, m, o)
		if got := c.Sentences[0].Language; got != "de" {
			t.Errorf("text %q: %q", text, got)
		}
	}
}

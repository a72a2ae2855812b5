package transforms

import (
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/output"
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

package transforms

import (
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/decode"
	"github.com/treebeam/treebeam/parser/syntax"
)

func init() {
	RegisterModels("", func(uri string) (Stages, string, error) {
		m, err := model.Open(uri) // loaded once per process
		if err != nil {
			return nil, "", err
		}
		return trained{m}, m.Digest, nil
	})
}

// trained are the stages of a trained model.
type trained struct{ *model.Model }

// Parse implements Stages.
func (m trained) Parse(s *syntax.Sentence, o ParseOptions) error {
	return m.Model.Parse(s, decode.Options{Seed: o.Seed, Restarts: o.Restarts, Exact: o.Exact, Projective: o.Projective})
}

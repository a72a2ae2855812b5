package train

import (
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/encode"
	"github.com/treebeam/treebeam/parser/finetune"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/segment"
	"github.com/treebeam/treebeam/parser/word"
)

// starts teaches a finished encoder, which stays as it is, where sentences begin, from windows
// of the treebank's paragraphs. An encoder whose layers learn that as well parses worse.
// Without paragraphs of several sentences there is nothing to learn, and starts returns e.
func (t *trainer) starts(e *tunedEncoder) (*tunedEncoder, error) {
	gold := t.gold()
	windows := segment.Windows(gold.train)
	if len(windows) == 0 {
		return e, nil
	}
	r, err := t.phase("starts", []string{gold.key, sumOfSections(e.sections)}, func(j job) ([]pack.Section, error) {
		m, err := encode.Open(pack.NewView(e.sections), model.EncodeName)
		if err != nil {
			return nil, err
		}
		windows = encodable(windows, word.LearnCasing(gold.train))
		return packedAs(model.EncodeName, m.WithStarts(finetune.LearnStarts(m, windows, segment.IsStart, j.Seed, j.Log))), nil
	})
	if err != nil {
		return nil, err
	}
	return &tunedEncoder{r.sections, e.about}, nil
}

package train

import (
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/encode"
	"github.com/treebeam/treebeam/parser/finetune"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/segment"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

// LearnStarts returns a copy of a finished encoder that knows where sentences begin. It learns
// that from windows of the paragraphs of train; its layers stay as they are. An encoder whose
// layers learn that as well parses worse. Without paragraphs of several sentences there is
// nothing to learn, and LearnStarts returns m.
func LearnStarts(m *encode.Model, list []Language, seed uint64, log func(format string, a ...any)) *encode.Model {
	var all [][]syntax.Sentence
	for _, l := range list {
		windows := encodable(segment.Windows(l.Train.Sentences), word.LearnCasing(l.Train.Sentences))
		for i := range windows {
			windows[i].Language = l.Code
		}
		if len(windows) > 0 {
			all = append(all, windows)
		}
	}
	if len(all) == 0 {
		return m
	}
	return m.WithStarts(finetune.LearnStarts(m, all, segment.IsStart, seed, log))
}

// starts teaches an encoder where the sentences of treebanks begin. keys identify these.
func (t *trainer) starts(e *tunedEncoder, keys []string, list []Language) (*tunedEncoder, error) {
	r, err := t.phase("starts", append(keys, sumOfSections(e.sections)), func(j job) ([]pack.Section, error) {
		m, err := encode.Open(pack.NewView(e.sections), model.EncodeName)
		if err != nil {
			return nil, err
		}
		return packedAs(model.EncodeName, LearnStarts(m, list, j.Seed, j.Log)), nil
	})
	if err != nil {
		return nil, err
	}
	return &tunedEncoder{r.sections, e.about, e.small}, nil
}

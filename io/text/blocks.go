package text

import (
	"io"
	"iter"
	"strings"
)

// Whole returns what the line breaks of a text in memory mean, and its blocks, in
// order; after an error there are no more. Its first head bytes decide what they mean,
// as for a file of which a run of the pipeline sees no more. It fails as Decide and
// NewReader do.
func Whole(data string, head int, o Options) (lines Lines, blocks iter.Seq2[Block, error], err error) {
	layout, err := Decide([]byte(data[:min(len(data), head)]), o)
	if err != nil {
		return "", nil, err
	}
	r, err := NewReader(strings.NewReader(data), layout, 0, -1)
	if err != nil {
		return "", nil, err
	}
	return layout.Lines, func(yield func(Block, error) bool) {
		for {
			b, err := r.Next()
			if err == io.EOF || !yield(b, err) || err != nil {
				return
			}
		}
	}, nil
}

// Blocks returns the texts of the blocks of Whole.
func Blocks(data string, head int, o Options) (list []string, err error) {
	_, blocks, err := Whole(data, head, o)
	if err != nil {
		return nil, err
	}
	for b, err := range blocks {
		if err != nil {
			return nil, err
		}
		list = append(list, strings.Clone(b.Text))
	}
	return list, nil
}

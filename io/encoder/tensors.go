package encoder

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
)

// The files of model hubs with the weights: the length of a header as 8 bytes, the
// header, a JSON object with the type, the shape and the place of the data (after the
// header) of each tensor, and the data.
const (
	tensorsExtension = ".safetensors"
	tensorsFile      = "model" + tensorsExtension
	maxHeader        = 64 << 20
)

// A tensor is an array of such a file.
type tensor struct {
	Type   string    `json:"dtype"`
	Shape  []int     `json:"shape"`
	Offset [2]uint64 `json:"data_offsets"`

	data []byte
}

// elementBytes are the sizes of the types that are read.
var elementBytes = map[string]uint64{"F32": 4, "F16": 2, "BF16": 2, "F64": 8}

// readTensors returns the tensors by name. It leaves out tensors whose type is not a
// type of weights.
func readTensors(data []byte) (map[string]tensor, error) {
	r := &reader{data: data}
	length := fixed[uint64](r)
	if length > maxHeader {
		return nil, fmt.Errorf("%s has a header of %d bytes, at most %d are read", tensorsFile, length, maxHeader)
	}
	header := r.take(length)
	if r.short {
		return nil, errors.New(tensorsFile + " is truncated: copy it again")
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(header, &all); err != nil {
		return nil, fmt.Errorf("the header of %s is not JSON (%w): copy it again", tensorsFile, err)
	}
	tensors := make(map[string]tensor, len(all))
	for name, text := range all {
		var t tensor
		if name == "__metadata__" {
			continue
		}
		if err := json.Unmarshal(text, &t); err != nil {
			return nil, fmt.Errorf("%s, tensor %.60q: %w", tensorsFile, name, err)
		}
		size, known := elementBytes[t.Type]
		if !known {
			continue
		}
		for _, n := range t.Shape {
			if n < 0 || n > 0 && size > maxFile/uint64(n) {
				return nil, fmt.Errorf("%s, tensor %.60q: the shape %v is out of bounds", tensorsFile, name, t.Shape)
			}
			size *= uint64(n)
		}
		from, to := t.Offset[0], t.Offset[1]
		if from > to || to > uint64(len(r.data)) || to-from != size {
			return nil, fmt.Errorf("%s, tensor %.60q: its %d bytes are not there: copy the file again", tensorsFile, name, size)
		}
		t.data = r.data[from:to]
		tensors[name] = t
	}
	return tensors, nil
}

// floats returns the first n numbers. The caller has checked that there are enough.
func (t *tensor) floats(n int) []float32 {
	list := make([]float32, n)
	for i := range list {
		switch t.Type {
		case "F32":
			list[i] = math.Float32frombits(le.Uint32(t.data[4*i:]))
		case "F16":
			list[i] = float32FromHalf(le.Uint16(t.data[2*i:]))
		case "BF16":
			list[i] = math.Float32frombits(uint32(le.Uint16(t.data[2*i:])) << 16)
		case "F64":
			list[i] = float32(math.Float64frombits(le.Uint64(t.data[8*i:])))
		}
	}
	return list
}

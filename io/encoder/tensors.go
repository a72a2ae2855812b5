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
	tensorsFile = "model.safetensors"
	maxHeader   = 64 << 20
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

// float32FromHalf returns the value of a number in half precision (IEEE 754
// binary16).
func float32FromHalf(h uint16) float32 {
	sign, exponent, fraction := uint32(h&0x8000)<<16, uint32(h>>10&31), uint32(h&0x3FF)
	switch exponent {
	case 0: // zero and subnormal: fraction * 2^-24
		x := float32(fraction) * (1.0 / (1 << 24))
		return math.Float32frombits(math.Float32bits(x) | sign)
	case 31: // infinite or no number
		return math.Float32frombits(sign | 0x7F800000 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+112)<<23 | fraction<<13)
}

// halfFromFloat32 returns the number in half precision that is nearest to x,
// the even one of two; infinity from 65,520 on.
func halfFromFloat32(x float32) uint16 {
	b := math.Float32bits(x)
	sign, b := uint16(b>>16&0x8000), b&^(1<<31)
	switch {
	case b > 0x7F800000: // no number
		return sign | 0x7E00
	case b >= 0x477FF000: // 65,520
		return sign | 0x7C00
	case b < 0x38800000: // below 2^-14: the last bit counts 2^-24
		return sign | uint16(math.RoundToEven(float64(math.Float32frombits(b))*(1<<24)))
	}
	b += 0xFFF + b>>13&1 // rounds; may carry into the exponent, as it should
	return sign | uint16(b>>13-112<<10)
}

package hub

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

func message(fields ...any) (out []byte) {
	for i := 0; i < len(fields); i += 2 {
		n := protowire.Number(fields[i].(int))
		switch v := fields[i+1].(type) {
		case int:
			out = protowire.AppendVarint(protowire.AppendTag(out, n, protowire.VarintType), uint64(v))
		case string:
			out = protowire.AppendString(protowire.AppendTag(out, n, protowire.BytesType), v)
		case []byte:
			out = protowire.AppendBytes(protowire.AppendTag(out, n, protowire.BytesType), v)
		}
	}
	return out
}

func bytesOf(list ...float32) (out []byte) {
	for _, x := range list {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(x))
	}
	return out
}

// A matrix gets its name from the bias that is added to its product, and is turned.
func TestRead(t *testing.T) {
	const bias = "encoder.layer.0.output.dense.bias"
	graph := message(
		1, message(1, "x", 1, "onnx::MatMul_7", 2, "y", 4, "MatMul"),
		1, message(1, bias, 1, "y", 2, "z", 4, "Add"),
		5, message(1, 2, 1, 3, 2, 1, 8, "onnx::MatMul_7", 9, bytesOf(1, 2, 3, 4, 5, 6)),
		5, message(1, []byte{3}, 2, 1, 8, bias, 9, bytesOf(7, 8, 9)),
		5, message(1, 1, 1, 2, 2, 7, 8, "embeddings.position_ids", 9, make([]byte, 16)),
		5, message(1, 4, 1, 3, 2, 1, 8, "embeddings.position_embeddings.weight", 9, make([]byte, 48)),
		5, message(1, 5, 1, 3, 2, 1, 8, "encoder.layer.0.intermediate.dense.weight", 9, make([]byte, 60)),
	)
	tensors, err := read(message(1, 8, 7, graph))
	if err != nil {
		t.Fatal(err)
	}
	want := tensor{[]int{3, 2}, bytesOf(1, 4, 2, 5, 3, 6)}
	if got := tensors["encoder.layer.0.output.dense.weight"]; len(tensors) != 4 || !reflect.DeepEqual(got, want) {
		t.Errorf("%d tensors, %v, want 4, %v", len(tensors), got, want)
	}
	config, err := configOf(tensors, 12)
	var c map[string]any
	if err != nil || json.Unmarshal(config, &c) != nil || c["num_hidden_layers"] != 1.0 || c["max_position_embeddings"] != 4.0 || c["intermediate_size"] != 5.0 {
		t.Errorf("got %s (%v)", config, err)
	}
	file := safetensors(tensors)
	n := binary.LittleEndian.Uint64(file)
	var head map[string]struct {
		Offsets [2]int `json:"data_offsets"`
	}
	if err := json.Unmarshal(file[8:8+n], &head); err != nil || n%8 != 0 {
		t.Fatalf("%d bytes of head: %v", n, err)
	}
	if at := head[bias].Offsets; string(file[8+int(n)+at[0]:8+int(n)+at[1]]) != string(bytesOf(7, 8, 9)) {
		t.Errorf("the bias is not where the head says: %v", at)
	}
	for at := range graph { // damaged, it does not panic
		for _, b := range []byte{0, 1, 8, 0x80, 0xFF} {
			damaged := slices.Clone(graph)
			damaged[at] = b
			read(message(7, damaged))
		}
	}
	for _, bad := range [][]byte{{0xFF}, {8}, message(1, 1<<61, 1, 2, 2, 1, 9, "1234"), message(1, 1<<34, 1, 0, 2, 1, 9, "1234"),
		message(1, 1, 2, 6, 9, "1234"), message(1, 1, 1, 2, 2, 1, 9, "1234")} {
		if _, x, err := readTensor(bad); err == nil && x.data != nil {
			t.Errorf("%x is a tensor of the shape %v", bad, x.shape)
		}
	}
	if _, err := configOf(nil, 12); err == nil {
		t.Error("a file without tensors was written")
	}
}

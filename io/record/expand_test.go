package record

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/format"

	"github.com/treebeam/treebeam/io/record/recordtest"
	"github.com/treebeam/treebeam/parser/syntax"
)

// TestExpandingPages has pages that are small in the file and when they are
// decompressed, but that the library would decode to gigabytes: their rows cannot
// be read, whichever column they are of, and nothing of that size is allocated.
func TestExpandingPages(t *testing.T) {
	run := func(n uint64) []byte { return append(binary.AppendUvarint(nil, n<<1), 0) }
	deltas := func(n uint64) []byte { // of width 0, cut off
		b := binary.AppendUvarint(binary.AppendUvarint(binary.AppendUvarint(nil, 128), 4), n)
		return binary.AppendVarint(b, 0)
	}
	column := func(name string, typ format.Type, e format.Encoding, values int, page []byte) recordtest.Column {
		return recordtest.Column{Name: name, Type: typ, Encoding: e, Values: values, Page: page}
	}
	const n = 300
	text := recordtest.Texts("text", n, "It rained.")
	bits := append(binary.LittleEndian.AppendUint32(nil, 6), run(1<<30)...)
	for name, c := range map[string]struct {
		columns []recordtest.Column
		says    string // of all rows, "" if they can be read
	}{
		"a prefix of little":       {[]recordtest.Column{text, recordtest.Same("k", n, 100)}, ""},
		"a prefix, kept":           {[]recordtest.Column{text, recordtest.Same("k", n, 15<<20)}, "a page that decodes to"},
		"a prefix, id":             {[]recordtest.Column{text, recordtest.Same("id", n, 15<<20)}, "a page that decodes to"},
		"a prefix, text":           {[]recordtest.Column{recordtest.Same("text", n, 1<<20)}, "a page that decodes to"},
		"a prefix, not read":       {[]recordtest.Column{text, recordtest.Same("other", n, 15<<20)}, ""},
		"many values in a header":  {[]recordtest.Column{text, column("k", format.ByteArray, format.Plain, 1<<31-1, nil)}, "a page of 2147483647 values"},
		"many values of a list":    {[]recordtest.Column{text, column("k", format.Int64, format.DeltaBinaryPacked, n, deltas(1<<31-1))}, "values, the limit is"},
		"many numbers":             {[]recordtest.Column{text, column("k", format.Int64, format.DeltaBinaryPacked, n, deltas(8<<20))}, "a page that decodes to 67108864 bytes"},
		"many lengths":             {[]recordtest.Column{text, column("k", format.ByteArray, format.DeltaLengthByteArray, n, deltas(1<<31-1))}, "values, the limit is"},
		"a long run of truths":     {[]recordtest.Column{text, column("k", format.Boolean, format.RLE, n, bits)}, "values, the limit is"},
		"a long run in dictionary": {[]recordtest.Column{text, column("k", format.ByteArray, format.RLEDictionary, n, append([]byte{1}, run(1<<30)...))}, "values, the limit is"},
	} {
		t.Run(name, func(t *testing.T) {
			file := recordtest.Parquet(n, c.columns...)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			p := open(t, file, Options{Keep: []string{"k"}})
			rec, err := p.Rows(0, -1, int64(len(file))).Next()
			runtime.ReadMemStats(&after)
			if err != nil || (rec.Err == nil) != (c.says == "") || rec.Err != nil && (rec.Err.Kind != syntax.KindLongRecord || !strings.Contains(rec.Err.Reason, c.says) || !strings.Contains(rec.Err.Reason, "rows up to 300")) {
				t.Fatalf("%v, %v, want %q", rec.Err, err, c.says)
			}
			if n := after.TotalAlloc - before.TotalAlloc; n > maxPage+1<<20 {
				t.Errorf("%d bytes are allocated", n)
			}
		})
	}
}

// TestLyingPages has pages that are larger than they say.
func TestLyingPages(t *testing.T) {
	text := recordtest.Texts("text", 1_000_000, "It rained.")
	text.Size = 100
	file := recordtest.Parquet(1_000_000, text)
	p := open(t, file, Options{})
	_, err := p.Rows(0, -1, int64(len(file))).Next()
	var why syntax.Fault
	if !errors.As(err, &why) || !strings.Contains(why.Reason, errSize.Error()) {
		t.Errorf("%v, want %v", err, errSize)
	}
	plain := bytes.Repeat([]byte("It rained. "), 10000)
	for _, codec := range []format.CompressionCodec{format.Snappy, format.Gzip, format.Brotli, format.Zstd, format.Lz4Raw} {
		b, err := pq.LookupCompressionCodec(codec).Encode(nil, plain)
		must(t, err)
		for _, room := range []int{0, len(plain) / 2, len(plain) - 1} {
			if _, err := decompress(codec, make([]byte, room), b); err == nil {
				t.Errorf("%s: no error with room for %d bytes", codec, room)
			}
		}
		for _, room := range []int{len(plain), len(plain) + 100} {
			if got, err := decompress(codec, make([]byte, room), b); err != nil || !bytes.Equal(got, plain) {
				t.Errorf("%s: %d bytes, %v", codec, len(got), err)
			}
		}
		if _, err := decompress(codec, make([]byte, len(plain)), b[:len(b)/2]); err == nil && codec != format.Gzip && codec != format.Brotli {
			t.Errorf("%s: no error though it is cut off", codec)
		}
	}
}

// TestRunsAndDeltas counts as the library decodes.
func TestRunsAndDeltas(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		list := make([]int32, rng.IntN(2000))
		most := int32(1) << rng.IntN(30)
		for i := range list {
			list[i] = rng.Int32N(most) - most/3
			if i > 0 && rng.IntN(3) > 0 {
				list[i] = list[i-1]
			}
		}
		b, err := pq.DeltaBinaryPacked.EncodeInt32(nil, list)
		must(t, err)
		var got []int32
		n, rest, err := deltas(append(b, "rest"...), func(v int32) error { got = append(got, v); return nil })
		if err != nil || n != int64(len(list)) || !slices.Equal(got, list) || string(rest) != "rest" {
			t.Fatalf("%d of %d values, %q, %v", n, len(list), rest, err)
		}
		levels := make([]byte, len(list))
		for i, v := range list {
			levels[i] = byte(v & 7)
		}
		code := rle.Encoding{BitWidth: 3}
		if b, err = code.EncodeLevels(nil, levels); err != nil {
			t.Fatal(err)
		}
		decoded, err := code.DecodeLevels(nil, b)
		if err != nil || runs(b, 3) != int64(len(decoded)) {
			t.Fatalf("%d levels, want %d, %v", runs(b, 3), len(decoded), err)
		}
	}
}

// TestLZ4 reads pages of LZ4 that are not much smaller than their text, for which
// the library takes a buffer that it has not written.
func TestLZ4(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	random := func() string {
		b := make([]byte, 20)
		for i := range b {
			b[i] = byte('a' + rng.IntN(26))
		}
		return string(b)
	}
	for version := range 2 {
		var want []place
		for range 2000 {
			want = append(want, place{random(), random()})
		}
		file := grouped(t, [][]place{want}, pq.Compression(&pq.Lz4Raw), pq.PageBufferSize(3000), pq.DataPageVersion(version+1))
		size := int64(len(file))
		p := open(t, file, Options{Keep: []string{"town"}})
		at := 0
		for k := range int64(5) {
			rows, _, _, err := partOf(p, size*k/5, size*(k+1)/5, size)
			if err != nil {
				t.Fatalf("version %d: %v", version+1, err)
			}
			for _, r := range rows {
				if r.Text != want[at].Text || r.Kept[0] != want[at].Town {
					t.Fatalf("version %d: row %d is %+v, want %+v", version+1, at, r, want[at])
				}
				at++
			}
		}
		if at != len(want) {
			t.Errorf("%d rows", at)
		}
	}
}

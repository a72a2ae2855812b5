package source

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/source/sourcetest"
)

// A compressed file that has members is cut, and every piece reads what it stands for,
// what comes before it and what comes after it, and sums its stored bytes.
func TestMembers(t *testing.T) {
	var b strings.Builder
	for rng := rand.New(rand.NewPCG(1, 2)); b.Len() < 2<<20; {
		fmt.Fprintf(&b, "%x ", rng.Uint64())
	}
	text := b.String()
	streamed := compress(t, ".zst", text[:1<<20])
	for name, c := range map[string]struct {
		data   string
		pieces int
	}{
		"a.gz":  {sourcetest.BGZF(text, 50_000), 10},
		"b.gz":  {sourcetest.BGZF(text, 3000), 10},
		"c.zst": {sourcetest.Frames(text, 300_000), 7},
		"d.zst": {sourcetest.Frames(text, 1000), 10},
		"e.zst": {sourcetest.Frames(text, 1<<20), 2}, // which has many blocks
		"f.gz":  {sourcetest.BGZF(text[:1<<20], 50_000) + compress(t, ".gz", text[1<<20:]), 6},
		"g.gz":  {compress(t, ".gz", text), 1},
		"h.zst": {streamed + streamed, 1}, // frames that do not say how long they are
		"i.zst": {sourcetest.Frames(text[:1<<20], 100_000) + streamed + "?", 6},
		"j.gz":  {sourcetest.BGZF(text, 50_000)[:700_000], 9},
	} {
		dir := tree(t, map[string]string{name: c.data})
		size := int64(len(c.data))
		p := planOf(t, dir, size/10, name)
		ranges := rangesOf(p)
		if len(ranges) != c.pieces {
			t.Errorf("%s: %d pieces, want %d", name, len(ranges), c.pieces)
		}
		if len(ranges) == 1 {
			continue
		}
		at, sum := int64(0), Sum{}
		for k := range ranges {
			f, err := Open(t.Context(), &ranges[k], &ranges[k].Pieces[0])
			must(t, err)
			start, end := f.piece.Interval()
			if start != at || end < 0 != (k == len(ranges)-1) {
				t.Fatalf("%s: piece %d is [%d, %d), and [0, %d) are before it", name, k, start, end, at)
			}
			if end < 0 {
				if strings.HasPrefix(name, "i") || strings.HasPrefix(name, "j") { // they are damaged there
					sum = Sum{}
					break
				}
				end = int64(len(text))
			}
			if head, err := f.Head(); err != nil || string(head) != text[:HeadBytes] {
				t.Fatalf("%s: piece %d: the head is %.40q, %v", name, k, head, err)
			}
			for _, off := range []int64{start, max(0, start-1), max(0, start-seenBefore), start / 2, start, min(end+70_000, int64(len(text)))} {
				in, err := f.At(off)
				must(t, err)
				got, err := io.ReadAll(io.LimitReader(in, end-off))
				if err != nil || string(got) != text[off:max(off, end)] {
					t.Fatalf("%s: piece %d from %d on: %d bytes, %v", name, k, off, len(got), err)
				}
			}
			s, err := f.Sum(t.Context())
			if err != nil || s.From != f.piece.Start || s.To != f.piece.End {
				t.Fatalf("%s: piece %d: %+v, %v", name, k, s, err)
			}
			sum, _ = sum.Join(s)
			at = end
			f.Close()
		}
		var whole Sum
		whole.add([]byte(c.data), 0, size)
		if sum != whole && sum != (Sum{}) {
			t.Errorf("%s: %+v, want %+v", name, sum, whole)
		}
		path := dir + "/plan"
		must(t, p.Write(t.Context(), path, ""))
		again, err := ReadPlan(t.Context(), path)
		if err != nil || fmt.Sprint(rangesOf(again)) != fmt.Sprint(ranges) {
			t.Errorf("%s: %v, and the plan is %+v", name, err, again)
		}
		os.Remove(path)
	}
}

// FuzzMembers: whatever the bytes, they are cut into pieces that tile the file.
func FuzzMembers(f *testing.F) {
	text := strings.Repeat("Some text, and more. ", 50)
	for _, data := range []string{sourcetest.BGZF(text, 100), sourcetest.Frames(text, 100), sourcetest.Frames(text, 5000), "\x1f\x8b\x08\x04", ""} {
		f.Add([]byte(data), true)
		f.Add([]byte(data), false)
	}
	path := f.TempDir() + "/x"
	f.Fuzz(func(t *testing.T, data []byte, zst bool) {
		in := Input{URI: path + ".gz", Size: int64(len(data))}
		if zst {
			in.URI = path + ".zst"
		}
		must(t, os.WriteFile(in.URI, data, 0o644))
		at := Member{}
		list := split(&in, "", 5)
		for i, p := range list {
			if p.Start != at.At || p.From != at.From || p.Before.From > p.From || i < len(list)-1 && (p.To <= p.From || p.End <= p.Start) {
				t.Fatalf("%+v", list)
			}
			at = Member{p.End, p.To}
		}
		if len(list) == 1 || len(list) > 5 || len(list) > 0 && at != (Member{in.Size, 0}) {
			t.Fatalf("%+v", list)
		}
	})
}

package source

import (
	"hash/crc64"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
)

// The sums of pieces join to that of the file, whatever was read of them before, and in
// whichever store they are.
func TestSum(t *testing.T) {
	const text, want = "123456789", "crc64nvme:ae8b14860a799888" // the check value of the CRC catalogue
	dir := tree(t, map[string]string{"x.txt": text})
	memory(t, map[string]string{"b/x.txt": text})
	read := map[string]func(f *File) error{
		"nothing": func(*File) error { return nil },
		"head":    func(f *File) error { _, err := f.Head(); return err },
		"all": func(f *File) error {
			r, err := f.At(0)
			if err == nil {
				_, err = io.Copy(io.Discard, r)
			}
			return err
		},
		"head, a byte behind the beginning": func(f *File) error {
			_, err := f.Head()
			if err != nil {
				return err
			}
			r, err := f.At(f.piece.Start + 1)
			if err == nil {
				_, err = io.ReadFull(r, make([]byte, 1))
			}
			return err
		},
	}
	for name, before := range read {
		for _, plan := range []*Plan{planOf(t, dir, 0, "x.txt"), planOf(t, dir, 3, "x.txt"), planOf(t, "", 2, "mem://b")} {
			whole := Sum{}
			for i := range rangesOf(plan) {
				f, err := Open(t.Context(), &rangesOf(plan)[i], &rangesOf(plan)[i].Pieces[0])
				if err == nil {
					err = before(f)
				}
				must(t, err)
				sum, err := f.Sum(t.Context())
				adjacent := false
				if whole, adjacent = whole.Join(sum); err != nil || !adjacent {
					t.Fatalf("%s: %v, %+v", name, err, sum)
				}
				f.Close()
			}
			if whole.String() != want || whole.To != int64(len(text)) {
				t.Errorf("%s, %d ranges: %+v", name, len(rangesOf(plan)), whole)
			}
		}
	}
}

func TestSumsJoin(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	data := []byte(strings.Repeat("some bytes\x00", 900))
	for range 50 {
		whole := Sum{}
		for int(whole.To) < len(data) {
			to := min(int(whole.To)+1+rng.IntN(len(data)/3), len(data))
			whole, _ = whole.Join(Sum{whole.To, int64(to), crc64.Checksum(data[whole.To:to], sumTable)})
		}
		if whole.CRC != crc64.Checksum(data, sumTable) {
			t.Fatalf("%016x", whole.CRC)
		}
	}
	if _, adjacent := (Sum{0, 5, 1}).Join(Sum{6, 7, 1}); adjacent {
		t.Error("a gap was joined")
	}
}

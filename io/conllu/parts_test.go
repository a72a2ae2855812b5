package conllu

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// TestParts cuts a text at every pair of places, as parts of a file read by
// several readers, and expects each block exactly once.
func TestParts(t *testing.T) {
	var text strings.Builder
	text.WriteString("\ufeff\r\n")
	for i, gap := range []string{"\n", "\r\n", " \n", "\n\n\t\n", "  \n", ""} {
		fmt.Fprintf(&text, "# sent_id = s%d\n%s", i, line("1", "0"))
		if i == 2 {
			text.WriteString("broken\r\n")
		}
		text.WriteString(gap)
	}
	whole := text.String()
	size := int64(len(whole))
	want := fmt.Sprint(places(read(t, whole, Options{})))
	for a := int64(1); a <= size; a++ {
		for b := a; b <= size; b += 17 {
			var got []int64
			covered := int64(0)
			for _, part := range [][2]int64{{0, a}, {a, b}, {b, size}} {
				if part[0] == part[1] {
					continue
				}
				r := NewReader(iotest.OneByteReader(strings.NewReader(whole[part[0]:])), Options{Start: part[0], End: part[1]})
				for {
					block, err := r.Next()
					if err == io.EOF {
						break
					}
					if whole[block.Start:block.End] != block.Raw {
						t.Fatal("wrong bytes")
					}
					got = append(got, block.Start, block.End)
				}
				from, to := r.Covered()
				if from != covered {
					t.Fatalf("cuts %d, %d: part %v covers from %d, the one before ends at %d", a, b, part, from, covered)
				}
				covered = to
			}
			if covered != size || fmt.Sprint(got) != want {
				t.Fatalf("cuts %d, %d: covered %d of %d, blocks %v, want %v", a, b, covered, size, got, want)
			}
		}
	}
}

func places(blocks []Block) (p []int64) {
	for _, b := range blocks {
		p = append(p, b.Start, b.End)
	}
	return p
}

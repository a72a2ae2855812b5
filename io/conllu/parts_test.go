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
				if from == to {
					continue
				}
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

// A counter counts what is read.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n += int64(n)
	return n, err
}

// A file that is one line or one block is not read to its end by each of its
// parts: together they read it about twice.
func TestPartsReadTheirOwn(t *testing.T) {
	const size, part = 8 << 20, 128 << 10
	for name, text := range map[string]string{
		"a line": strings.Repeat("x", size), "a block": strings.Repeat("# comment\n", size/10),
	} {
		read := int64(0)
		blocks := 0
		for start := int64(0); start < int64(len(text)); start += part {
			c := &counter{r: strings.NewReader(text[start:])}
			r := NewReader(c, Options{Start: start, End: min(start+part, int64(len(text)))})
			for {
				if _, err := r.Next(); err != nil {
					break
				}
				blocks++
			}
			if read += c.n; start == 0 && c.n < int64(len(text)) {
				t.Errorf("%s: the first part read %d bytes", name, c.n)
			}
		}
		if blocks != 1 || read > 3*size {
			t.Errorf("%s: %d blocks; %d bytes read of %d", name, blocks, read, size)
		}
	}
}

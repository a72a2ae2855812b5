package serve

import (
	"runtime"
	"strings"
	"testing"
)

// Reading a sentence allocates no more than is reserved for a request, whatever its
// body holds.
func TestWeight(t *testing.T) {
	s := newServer(t, Limits{})
	const size = 4 << 20
	spare := uint64(weight(size) - 2*size) // but for the body and its parameters
	for _, c := range []struct{ format, piece string }{
		{"horizontal", "a "}, {"horizontal", "a\u00a0"}, {"horizontal", " "},
		{"vertical", "a\n"}, {"vertical", "a\t\n"}, {"vertical", "\n"},
	} {
		data := strings.Repeat(c.piece, size/len(c.piece))
		from, _ := s.reader(c.format, data, job{})
		before := allocated()
		for range from {
		}
		if most := allocated() - before; most > spare {
			t.Errorf("%s of %.20q: %d bytes for a sentence, reserved are %d", c.format, c.piece, most, spare)
		}
	}
}

// allocated is what was allocated since the test began.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

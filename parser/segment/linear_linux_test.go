package segment

import (
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/treebeam/treebeam/parser/syntax"
)

// threadTime returns the processor time of the present thread: other programs
// do not count.
func threadTime(t *testing.T) time.Duration {
	const thread = 1 // RUSAGE_THREAD
	var r syscall.Rusage
	if err := syscall.Getrusage(thread, &r); err != nil {
		t.Skip(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// A text takes no more than the same text in eight pieces, but for a factor of
// three: a loop over the rest of the text, in one over the text, would take
// eight times as long, if one step of it took as long as all else together.
// Counters see only the loops that count, so processor time is measured. It
// is known to some milliseconds; a quadratic loop takes 10^8 steps and more.
func TestTimeIsLinear(t *testing.T) {
	for _, unit := range repetitive {
		isLinear(t, model(t), "", "", unit, 24_000)
	}
	isLinear(t, model(t), "te", "a", ".,", 48_000) // marks behind a word
	// a token with spaces inside that goes on to the end
	var train []syntax.Sentence
	for range 20 {
		train = append(train, gold("Ada", "1~000~000~000", "_."), gold("Bela", "10~000~000~000~000", "pears", "_."))
	}
	m, err := Train(train, nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Segment(strings.Repeat("000 ", 100), Request{}); len(got[0].Words) != 1 {
		t.Fatalf("%d words, want 1", len(got[0].Words))
	}
	isLinear(t, m, "", "", "000 ", 96_000)
}

func isLinear(t *testing.T, m *Model, language, first, unit string, long int) {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const pieces, known = 8, 50 * time.Millisecond
	r := Request{MaxWords: 1000, Language: language}
	block, short := first+strings.Repeat(unit, long/len(unit)), first+strings.Repeat(unit, long/pieces/len(unit))
	m.Segment(short, r) // fills the memo
	start := threadTime(t)
	for range pieces {
		m.Segment(short, r)
	}
	middle := threadTime(t)
	m.Segment(block, r)
	apart, whole := middle-start, threadTime(t)-middle
	if whole > 3*apart+known {
		t.Fatalf("%d bytes of %q take %v, as %d pieces %v", len(block), unit, whole, pieces, apart)
	}
}

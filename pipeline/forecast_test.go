package pipeline

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/transforms"
)

// A forecast has the words of the whole input, from those of a sample. Small inputs have
// none.
func TestForecast(t *testing.T) {
	text := strings.Repeat(prose(100)+"\n\n", worthOnEngine/len(prose(100))+1)
	in := write(t, map[string]string{"a.txt": text, "b.txt": text, "empty.txt": ""})
	o := options(in, filepath.Join(t.TempDir(), "out"))
	o.RangeBytes = 100_000
	p := prepared(t, o)
	if f, known := p.Forecast(t.Context(), 0); known {
		t.Errorf("an input of %d bytes has the forecast %+v", p.Bytes, f)
	}
	p.here = false // as on an engine
	before := transforms.Progress.Bytes.Load()
	for _, done := range []int64{0, p.Bytes / 2} {
		f, known := p.Forecast(t.Context(), done)
		want := float64(len(strings.Fields(text))) * float64(p.Bytes-done) / float64(len(text))
		if !known || f.Rate <= 0 || f.CoreTime(f.Rate) <= 0 || math.Abs(float64(f.Words)-want) > want/10 {
			t.Errorf("%d bytes done: %+v, want %.0f words", done, f, want)
		}
	}
	if f, known := p.Forecast(t.Context(), p.Bytes-worthOnEngine+1); known {
		t.Errorf("almost done: %+v", f)
	}
	if after := transforms.Progress.Bytes.Load(); after != before {
		t.Errorf("samples were counted as progress: %d bytes", after-before)
	}
}

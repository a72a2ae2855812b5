package record

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	pq "github.com/parquet-go/parquet-go"
)

// A list is JSON whatever is in it: numbers that JSON has not are strings, and so
// are the bytes of a decimal that is longer than any.
func TestListsAreJSON(t *testing.T) {
	type one struct {
		Doubles []float64 `parquet:"doubles"`
		Floats  []float32 `parquet:"floats"`
		Text    string    `parquet:"text"`
	}
	var b bytes.Buffer
	w := pq.NewGenericWriter[one](&b)
	row := one{Doubles: []float64{1.5, math.NaN(), math.Inf(-1)}, Floats: []float32{float32(math.Inf(1)), 2}, Text: "x"}
	if _, err := w.Write([]one{row}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	p, err := OpenParquet(bytes.NewReader(b.Bytes()), int64(b.Len()), Options{Keep: []string{"doubles", "floats"}})
	if err != nil {
		t.Fatal(err)
	}
	rec, err := p.Rows(0, -1, int64(b.Len())).Next()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{`[1.5,"NaN","-Inf"]`, `["+Inf",2]`}
	for i, got := range rec.Kept {
		if got != want[i] || !json.Valid([]byte(got)) {
			t.Errorf("%s, want %s", got, want[i])
		}
	}
	z := strings.Repeat("z", maxDecimal+1)
	decimal := pq.Decimal(0, 150, pq.FixedLenByteArrayType(len(z))).Type()
	if got := string(appendList(nil, []pq.Value{pq.FixedLenByteArrayValue([]byte(z))}, decimal)); got != `["`+z+`"]` {
		t.Errorf("a decimal of %d bytes is %s", len(z), got)
	}
}

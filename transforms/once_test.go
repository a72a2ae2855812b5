package transforms_test

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	pq "github.com/parquet-go/parquet-go"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/io/store/storetest"
	"github.com/treebeam/treebeam/transforms"
)

// bucket makes once:// a store with one file, and plans it.
func bucket(t *testing.T, name string, data []byte, rangeBytes int64) (*storetest.Memory, []source.Range) {
	t.Helper()
	m := new(storetest.Memory)
	m.Put("once://b/"+name, data)
	store.Register("once", func(context.Context) (store.Store, error) { return m, nil })
	inputs, err := source.List(t.Context(), []string{"once://b"}, source.ListOptions{})
	must(t, err)
	plan, err := source.NewPlan(t.Context(), source.ListingOf(inputs), source.PlanOptions{RangeBytes: rangeBytes, Least: transforms.LeastPiece(output.RowOptions{})})
	must(t, err)
	return m, rangesOf(t, plan)
}

// A stored file is read once: by the plan its head, by each range what the range has,
// and the head again, which a process with other ranges has already.
func TestReadOnce(t *testing.T) {
	const size, rangeBytes = 20 << 20, 2 << 20
	var text, csv, tsv, jsonl strings.Builder
	csv.WriteString("id,text\n")
	tsv.WriteString("id\ttext\n")
	type row struct {
		ID   int64  `parquet:"id"`
		Text string `parquet:"text"`
	}
	var table bytes.Buffer
	w := pq.NewGenericWriter[row](&table, pq.MaxRowsPerRowGroup(5000))
	for i := 0; csv.Len() < 2*size; i++ { // its ranges are larger
		says := fmt.Sprintf("The %d said: \"It is no word, of %x, and %x.\" ", i, i*i*7919, i*i*104729) + strings.Repeat("And on it went. ", 10)
		fmt.Fprintf(&csv, "%d,\"%s\n\"\n", i, strings.ReplaceAll(says, `"`, `""`))
		if text.Len() > size {
			continue
		}
		text.WriteString(says + "\n\n")
		fmt.Fprintf(&tsv, "%d\t%s\n", i, says)
		if _, err := w.Write([]row{{int64(i), says}}); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&jsonl, "{\"id\": %d, \"text\": %q}\n", i, says)
	}
	must(t, w.Close())
	var zipped, zst bytes.Buffer
	gz := gzip.NewWriter(&zipped)
	gz.Write([]byte(text.String()))
	gz.Close()
	z, _ := zstd.NewWriter(&zst)
	z.Write([]byte(text.String()))
	z.Close()
	for _, c := range []struct {
		name   string
		data   []byte
		ranges int
	}{
		{"x.txt", []byte(text.String()), 10}, {"x.csv", []byte(csv.String()), 2}, {"x.tsv", []byte(tsv.String()), 9}, {"x.jsonl", []byte(jsonl.String()), 9},
		{"x.txt.gz", zipped.Bytes(), 1}, {"x.txt.zst", zst.Bytes(), 1}, {"x.parquet", table.Bytes(), 9},
	} {
		m, plan := bucket(t, c.name, c.data, rangeBytes)
		sum := source.Sum{}
		for k := range plan {
			if err := transforms.ReadPaced(t.Context(), &plan[k], nil, output.RowOptions{}, nil, func(c transforms.Chunk) error {
				for i := range c.Ends {
					if c.Ends[i].Failed {
						t.Fatalf("%+v", c.Failures)
					}
					sum, _ = sum.Join(*c.Ends[i].Sum)
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}
		stored, format := int64(len(c.data)), path.Ext(c.name)
		read := m.BytesRead("once://b/" + c.name)
		heads := int64(len(plan)+1) * source.HeadBytes
		if format == ".parquet" {
			heads *= 2 // and what the file says of itself at its end
		}
		t.Logf("%s: %d ranges, %d requests, %.3f bytes read for each that is stored, %.3f without heads", c.name, len(plan), m.Opened(), float64(read)/float64(stored), float64(read-heads)/float64(stored))
		if len(plan) < c.ranges {
			t.Errorf("%s: %d ranges, want %d", c.name, len(plan), c.ranges)
		}
		if read > stored*102/100+heads {
			t.Errorf("%s: %d bytes were read of %d", c.name, read, stored)
		}
		if most := len(plan) + 1; m.Opened() > most && format != ".parquet" || m.Opened() > 12*most {
			t.Errorf("%s: %d requests for %d ranges", c.name, m.Opened(), len(plan))
		}
		if sum.From != 0 || sum.To != stored {
			t.Errorf("%s: the sum is %+v", c.name, sum)
		}
	}
}

// A large file that is no text costs its head for the plan, its head for the row, and
// one row.
func TestLargeBinary(t *testing.T) {
	m, plan := bucket(t, "film.txt", make([]byte, 80<<20), 1<<20)
	rows := 0
	for k := range plan {
		if err := transforms.ReadPaced(t.Context(), &plan[k], nil, output.RowOptions{}, nil, func(c transforms.Chunk) error {
			rows += len(c.Failures)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	if read := m.BytesRead("once://b/film.txt"); len(plan) != 1 || rows != 1 || read > 2*source.HeadBytes {
		t.Errorf("%d ranges, %d rows, %d bytes read", len(plan), rows, read)
	}
}

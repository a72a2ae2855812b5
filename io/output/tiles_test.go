package output

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/parser/syntax"
)

// merged is mergeFiles of pieces of two ranges.
func merged(pieces []File) (list []File, err error) {
	for f, wrong := range mergeFiles(func(yield func([]File, error) bool) { _ = yield(pieces[:1], nil) && yield(pieces[1:], nil) }) {
		list = append(list, *f)
		err = errors.Join(err, wrong)
	}
	return list, err
}

// A file is whole if its pieces tile it, or a row says what is missing.
func TestMergeFiles(t *testing.T) {
	piece := func(start, end int64) File {
		return File{URI: "x", Sum: &source.Sum{}, Format: "text", Start: start, End: end}
	}
	last := func(f File) File { f.EOF = true; return f }
	failed := func(f File, errors int64) File {
		f.Failed, f.Errors = true, errors
		return f
	}
	unread := func(errors int64) File { return failed(File{URI: "x"}, errors) }
	notText := func(errors int64) File { return failed(File{URI: "x", Sum: &source.Sum{}}, errors) }
	for name, c := range map[string]struct {
		pieces []File
		want   string // of the error
		start  int64
		end    int64
		failed bool
		known  bool
	}{
		"one":                       {[]File{last(piece(0, 9))}, "", 0, 9, false, true},
		"empty":                     {[]File{last(piece(0, 0))}, "", 0, 0, false, true},
		"three":                     {[]File{piece(0, 3), piece(3, 6), last(piece(6, 9))}, "", 0, 9, false, true},
		"an empty one":              {[]File{piece(0, 6), piece(0, 0), last(piece(6, 9))}, "", 0, 9, false, true},
		"no beginning":              {[]File{piece(1, 3), last(piece(3, 9))}, "bytes 0 to 1", 0, 0, false, false},
		"a hole":                    {[]File{piece(0, 3), last(piece(4, 9))}, "bytes 3 to 4", 0, 0, false, false},
		"twice":                     {[]File{piece(0, 4), last(piece(3, 9))}, "bytes 4 to 3", 0, 0, false, false},
		"no end":                    {[]File{piece(0, 3), piece(3, 9)}, "not read to its end", 0, 0, false, false},
		"unreadable":                {[]File{unread(1), unread(1), unread(1)}, "", 0, 0, true, false},
		"unreadable, in silence":    {[]File{unread(0)}, "does not say so", 0, 0, false, false},
		"then unreadable":           {[]File{piece(0, 3), unread(1), unread(1)}, "", 0, 3, true, false},
		"then in silence":           {[]File{piece(0, 3), unread(0), unread(0)}, "does not say so", 0, 0, false, false},
		"the end in silence":        {[]File{piece(0, 6), unread(0)}, "does not say so", 0, 0, false, false},
		"readable again":            {[]File{unread(1), piece(3, 6), last(piece(6, 9))}, "", 3, 9, true, false},
		"readable after silence":    {[]File{unread(1), unread(0), last(piece(6, 9))}, "does not say so", 0, 0, false, false},
		"a hole with a row":         {[]File{piece(0, 3), unread(1), last(piece(6, 9))}, "", 0, 9, true, false},
		"a hole beside one":         {[]File{piece(0, 3), unread(1), piece(6, 7), last(piece(8, 9))}, "bytes 7 to 8", 0, 0, false, false},
		"a hole before a failure":   {[]File{piece(0, 3), failed(piece(4, 5), 1), last(piece(6, 9))}, "bytes 3 to 4", 0, 0, false, false},
		"twice after a failure":     {[]File{failed(piece(0, 5), 1), last(piece(3, 9))}, "bytes 5 to 3", 0, 0, false, false},
		"damaged":                   {[]File{failed(piece(0, 5), 1)}, "", 0, 5, true, true},
		"no text":                   {[]File{notText(1), notText(0), notText(0)}, "", 0, 0, true, true},
		"no text for some":          {[]File{notText(1), notText(0), last(piece(6, 9))}, "does not say so", 0, 0, false, false},
		"no text, and cannot tell":  {[]File{unread(1), notText(0)}, "", 0, 0, true, false},
		"no text in the middle":     {[]File{piece(0, 3), notText(0), last(piece(6, 9))}, "does not say so", 0, 0, false, false},
		"failed with no row at all": {[]File{notText(0), notText(0)}, "does not say so", 0, 0, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			// A neighbour on either side must not be touched.
			before, after := last(piece(0, 1)), last(piece(0, 1))
			for i := range c.pieces {
				if c.pieces[i].Sum != nil {
					c.pieces[i].Sum = &source.Sum{From: int64(i), To: int64(i) + 1}
				}
			}
			before.URI, after.URI = "a", "z"
			all := append(append([]File{before}, c.pieces...), after)
			got, err := merged(all)
			if c.want != "" {
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("got %v, want %q", err, c.want)
				}
				return
			}
			if err != nil || len(got) != 3 || got[0].URI != "a" || got[2].URI != "z" || got[2].Failed {
				t.Fatalf("got %+v, %v", got, err)
			}
			x := got[1]
			if x.Start != c.start || x.End != c.end || x.Failed != c.failed || (x.Sum != nil) != c.known || c.known && x.Sum.To != int64(len(c.pieces)) {
				t.Errorf("got %+v", x)
			}
		})
	}
}

// Stored bytes that no range has summed, or two, are a defect.
func TestSumsTile(t *testing.T) {
	for _, from := range []int64{4, 6} {
		first, second := File{URI: "x", End: 5, Sum: &source.Sum{To: 5}}, File{URI: "x", Start: 5, End: 9, EOF: true, Sum: &source.Sum{From: from, To: 9}}
		if _, err := merged([]File{first, second}); err == nil || !strings.Contains(err.Error(), "were summed by no range or twice") {
			t.Errorf("from byte %d: %v", from, err)
		}
	}
}

// PartFiles leaves out files that its parts do not have once and whole, and ends with the
// error of a part.
func TestPartFiles(t *testing.T) {
	r := written(t)
	zero, one := r.partID(0).Path("trees"), r.partID(1).Path("trees")
	for want, parts := range map[string][]string{"in/0 in/1": {zero, one}, "in/1": {zero, zero, one}, "error": {zero, one + "x"}} {
		var got []string
		for f, err := range PartFiles(parts) {
			if err != nil {
				got = append(got, "error")
			} else {
				got = append(got, f.URI)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// A tally ends with the commonest reasons first, or says what was lost or failed through
// defects.
func TestTallyCloses(t *testing.T) {
	closed := func(eof bool, kinds ...syntax.Kind) (*Tally, error) {
		n := int64(len(kinds))
		f := File{DocID: "x", URI: "x", Format: "text", End: 9, EOF: eof, Sum: &source.Sum{To: 9}, Counts: Counts{Blocks: n}}
		b := &Batch{Files: []File{f}, Segmented: []Count{{n, n}}, Last: true, Ends: []File{f}}
		for _, kind := range kinds {
			row := Failure{Sentence: true}
			row.Fault, row.Severity = syntax.Because(kind, "planted"), syntax.SeverityError
			b.Failures = append(b.Failures, row)
		}
		sum := new(Tally)
		must(t, sum.Add(b))
		return sum, sum.Close()
	}
	if sum, err := closed(true, syntax.KindInternal, syntax.KindToken, syntax.KindToken); err != nil || len(sum.Reasons) != 2 || sum.Reasons[0].Count != 2 {
		t.Errorf("%+v, %v", sum.Reasons, err)
	}
	if sum, err := closed(true); err != nil || sum.Reasons == nil {
		t.Errorf("%+v, %v", sum.Reasons, err)
	}
	if _, err := closed(false); err == nil || !strings.Contains(err.Error(), "not read to its end") {
		t.Errorf("got %v", err)
	}
	if _, err := closed(true, slices.Repeat([]syntax.Kind{syntax.KindInternal}, 10)...); err == nil || !strings.Contains(err.Error(), "defects of the program") {
		t.Errorf("got %v", err)
	}
}

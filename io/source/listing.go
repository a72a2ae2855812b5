package source

import (
	"cmp"
	"encoding/gob"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/treebeam/treebeam/io/spill"
)

// A Listing is the files of a run, sorted by the bytes of their URI and without
// duplicates. It takes some 10 bytes of memory per file; the rest of a long list is in
// a temporary file, which Close removes.
type Listing struct {
	Files int
	Bytes int64 // of all files, as stored, without what comes before tails
	all   iter.Seq2[*Input, error]
	close func()
}

// ListingOf returns a Listing of inputs, which must be in its order.
func ListingOf(inputs []Input) *Listing {
	l := &Listing{Files: len(inputs), close: func() {}, all: func(yield func(*Input, error) bool) {
		for i := range inputs {
			if !yield(&inputs[i], nil) {
				return
			}
		}
	}}
	for i := range inputs {
		l.Bytes += inputs[i].Size - inputs[i].Tail
	}
	return l
}

// All yields the files, as often as it is asked to until Close. The pair with an error is
// the last.
func (l *Listing) All() iter.Seq2[*Input, error] { return l.all }

// Inputs returns the files, all in memory.
func (l *Listing) Inputs() ([]Input, error) {
	inputs := make([]Input, 0, l.Files)
	for in, err := range l.All() {
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, *in)
	}
	return inputs, nil
}

// Close removes the temporary file.
func (l *Listing) Close() { l.close() }

// listing makes the listing of what the lister has found.
func (l *lister) listing() (_ *Listing, err error) {
	files := sorted(func(a, b *found) int { return cmp.Compare(a.URI, b.URI) })
	list := &Listing{close: files.Close}
	defer func() {
		if err != nil {
			list.Close()
		}
	}()
	var uris, ids hashes
	add := func(f found) {
		uris.add(f.URI)
		ids.add(f.DocID)
		list.Files++
		list.Bytes += f.Size
		files.Add(f) // All returns an error
	}
	var escaped []found
	for f, err := range distinct(l.found.All()) {
		if err != nil {
			return nil, fmt.Errorf("listing the input: %w", err)
		}
		if f.escaped() {
			escaped = append(escaped, *f)
		} else {
			add(*f)
		}
	}
	uris.sort()
	ids.sort()
	tellApart(escaped, uris, ids)
	for i := range escaped {
		add(escaped[i])
	}
	all := files.All()
	list.all = func(yield func(*Input, error) bool) {
		for f, err := range all {
			if err != nil {
				err = fmt.Errorf("listing the input: %w", err)
				f = new(found)
			}
			if !yield(&f.Input, err) {
				return
			}
		}
	}
	return list, list.distinctIDs(ids)
}

// found is an input as a pattern has found it.
type found struct {
	Input
	Place string // absolute path or URI: what tells one file from another
}

// spooled is how many inputs are in memory: some 40 MB. Tests make it smaller.
var spooled = 1 << 17

// sorted returns a sorter of any number of inputs.
func sorted(compare func(a, b *found) int) *spill.Sorter[found] {
	return &spill.Sorter[found]{
		Compare: compare, Size: func(*found) int { return 1 }, Limit: spooled,
		Encoder: func(w io.Writer) func(*found) error {
			e := gob.NewEncoder(w)
			return func(f *found) error { return e.Encode(f) }
		},
		Decoder: func(r io.Reader) func(*found) error {
			d := gob.NewDecoder(r)
			return func(f *found) error { return d.Decode(f) }
		},
	}
}

// distinct yields every file once, of inputs that come by their places: under the longest
// of its document ids and the smallest of its URIs, so that the order of the patterns does
// not matter.
func distinct(all iter.Seq2[*found, error]) iter.Seq2[*found, error] {
	return func(yield func(*found, error) bool) {
		var file *found
		for f, err := range all {
			switch {
			case err != nil:
				yield(nil, err)
				return
			case file != nil && file.Place == f.Place:
				if len(f.DocID) > len(file.DocID) {
					file.DocID = f.DocID
				}
				continue
			case file != nil && !yield(file, nil):
				return
			}
			file = f
		}
		if file != nil {
			yield(file, nil)
		}
	}
}

// byPlace orders inputs for distinct.
func byPlace(a, b *found) int {
	return cmp.Or(cmp.Compare(a.Place, b.Place), cmp.Compare(a.URI, b.URI), cmp.Compare(a.DocID, b.DocID))
}

// hashes finds names that may be equal by their hashes, in 8 bytes for each.
type hashes []uint64

func (n *hashes) add(name string) { *n = append(*n, xxhash.Sum64String(name)) }

func (n hashes) sort() { slices.Sort(n) }

// count is how often a name is there, once they are sorted.
func (n hashes) count(name string) int {
	hash := xxhash.Sum64String(name)
	first, _ := slices.BinarySearch(n, hash)
	last, _ := slices.BinarySearch(n, hash+1)
	if hash+1 == 0 {
		last = len(n)
	}
	return last - first
}

// escaped reports whether the id of the input was made by escape.
func (f *found) escaped() bool {
	return strings.Contains(f.DocID, "%") && f.Version != liveVersion && (f.Path != "" || !strings.HasSuffix(f.URI, f.DocID))
}

// tellApart changes the ids and URIs that escape made where another file really has
// such a name: \xff.txt next to %FF.txt becomes %25FF.txt. The names of the other files
// are sorted.
func tellApart(escaped []found, uris, ids hashes) {
	slices.SortFunc(escaped, func(a, b found) int { return cmp.Or(cmp.Compare(a.URI, b.URI), cmp.Compare(a.Path, b.Path)) })
	seenURIs, seenIDs := map[string]int{}, map[string]int{}
	for i := range escaped {
		seenURIs[escaped[i].URI]++
		seenIDs[escaped[i].DocID]++
	}
	again := func(name *string, seen map[string]int, others hashes) {
		for seen[*name]+others.count(*name) > 1 {
			seen[*name]--
			*name = strings.ReplaceAll(*name, "%", "%25")
			seen[*name]++
		}
	}
	for i := range escaped {
		f := &escaped[i]
		if !strings.Contains(f.URI, "%") && seenURIs[f.URI]+uris.count(f.URI) > 1 {
			continue // nothing tells it apart: distinctIDs refuses two such ids
		}
		again(&f.DocID, seenIDs, ids)
		if f.Path != "" {
			again(&f.URI, seenURIs, uris)
		}
	}
}

// distinctIDs returns an error if two inputs have the same document id.
func (l *Listing) distinctIDs(ids hashes) error {
	ids.sort()
	twice := map[uint64]bool{}
	for i := 1; i < len(ids); i++ {
		if ids[i] == ids[i-1] {
			twice[ids[i]] = true
		}
	}
	if len(twice) == 0 {
		return nil
	}
	byID := map[string]string{}
	for in, err := range l.All() {
		if err != nil {
			return err
		}
		if !twice[xxhash.Sum64String(in.DocID)] {
			continue
		}
		if other, ok := byID[in.DocID]; ok && other == in.URI {
			return &InputError{in.URI, "is in an archive, and in a folder of that name with !: rename one of them, or exclude the archive"}
		} else if ok {
			return &InputError{in.URI, fmt.Sprintf(
				"has the same document id %q as %s; name both by one folder or pattern (in quotes), or parse them into two outputs", in.DocID, other)}
		}
		byID[in.DocID] = in.URI
	}
	return nil
}

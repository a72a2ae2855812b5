package find

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/io/pick"
	"github.com/treebeam/treebeam/parser/pattern"
)

// A drawn is a hit that a random sample may have. Those with the smallest hashes are
// the sample: it depends on what is searched, but not on the order of that.
type drawn struct {
	hash uint64
	at   int64 // of the hit among all hits
	from *found
	hit  pattern.Hit
}

// lot returns a sample of n hits. It holds twice as many, with their sentences.
func lot(n int) pick.Best[drawn] {
	return pick.Best[drawn]{N: n, Compare: func(a, b drawn) int { return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.at, b.at)) }}
}

// draw offers the hits of a sentence, which the sample may keep.
func (s *search) draw(f *found) {
	first := s.sum.Hits - int64(len(f.hits))
	for i, h := range f.hits {
		if d := (drawn{hash(s.Seed, f.tree, h), first + int64(i), f, h}); s.lot.Wants(d) {
			d.hit.Words = slices.Clone(h.Words)
			s.lot.Add(d)
		}
	}
	f.hits = nil
}

// hash is a hash of the place of a hit: its document, sentence and words.
func hash(seed uint64, t *parquet.Tree, h pattern.Hit) uint64 {
	place := binary.LittleEndian.AppendUint64(nil, seed)
	place = append(append(place, t.DocID...), 0)
	place = append(append(place, t.SentID...), 0)
	for _, w := range h.Words {
		place = binary.LittleEndian.AppendUint32(place, uint32(w))
	}
	return xxhash.Sum64(place)
}

// writeDrawn writes the sample in the order of the input.
func (s *search) writeDrawn() error {
	list := s.lot.Sorted()
	slices.SortFunc(list, func(a, b drawn) int { return cmp.Compare(a.at, b.at) })
	for i := 0; i < len(list); {
		f := list[i].from
		for ; i < len(list) && list[i].from == f; i++ {
			f.hits = append(f.hits, list[i].hit)
		}
		if err := s.write(f); err != nil {
			return err
		}
	}
	return nil
}

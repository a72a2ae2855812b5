package source

import (
	"iter"
	"slices"
)

// A division says how a file is cut: into so many equal pieces, or before members.
type division struct {
	equal   int64
	members []Piece
}

// pieces returns the pieces of a file, nil if it is not cut.
func (d division) pieces(in *Input) iter.Seq[Piece] {
	switch {
	case len(d.members) > 1:
		return slices.Values(d.members)
	case d.equal < 2:
		return nil
	}
	size := in.Size - in.Tail
	return func(yield func(Piece) bool) {
		for j := range d.equal {
			p := Piece{Input: *in, Start: in.Tail + size/d.equal*j, End: in.Tail + size/d.equal*(j+1)}
			if j == d.equal-1 {
				p.End = in.Size
			}
			if !yield(p) {
				return
			}
		}
	}
}

// cut yields the pieces of every range. cuts say which files are cut, and how.
func cut(inputs iter.Seq2[*Input, error], cuts map[int]division, target int64) iter.Seq2[[]Piece, error] {
	return func(yield func([]Piece, error) bool) {
		var pack []Piece
		var packed int64
		flush := func() bool {
			full := pack
			pack, packed = nil, 0
			return len(full) == 0 || yield(full, nil)
		}
		i := -1
		for in, err := range inputs {
			if err != nil {
				yield(nil, err)
				return
			}
			i++
			if pieces := cuts[i].pieces(in); pieces != nil {
				if !flush() {
					return
				}
				for p := range pieces {
					if !yield([]Piece{p}, nil) {
						return
					}
				}
				continue
			}
			size := in.Size - in.Tail
			if (packed+size > target || len(pack) == MaxPack) && !flush() {
				return
			}
			pack, packed = append(pack, Piece{Input: *in, Start: in.Tail, End: in.Size}), packed+size
		}
		flush()
	}
}

package source

import "iter"

// cut yields the pieces of every range. cuts are the numbers of pieces of the files that
// are cut.
func cut(inputs iter.Seq2[*Input, error], cuts map[int]int64, target int64) iter.Seq2[[]Piece, error] {
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
			if n := cuts[i]; n > 1 {
				if !flush() {
					return
				}
				for j := range n {
					start, end := in.Size/n*j, in.Size/n*(j+1)
					if j == n-1 {
						end = in.Size
					}
					if !yield([]Piece{{*in, start, end}}, nil) {
						return
					}
				}
				continue
			}
			if (packed+in.Size > target || len(pack) == MaxPack) && !flush() {
				return
			}
			pack, packed = append(pack, Piece{*in, 0, in.Size}), packed+in.Size
		}
		flush()
	}
}

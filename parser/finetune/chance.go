package finetune

import "github.com/treebeam/treebeam/parser/hash"

// dropped of 256 activations become zero; the others grow, so that the
// expected sum stays.
const dropped = 26

var keep = func() (table [256]float32) {
	for i := dropped; i < len(table); i++ {
		table[i] = 256.0 / (256 - dropped)
	}
	return table
}()

// A place is where activations are dropped: a layer's or the embedding's.
type place uint64

const (
	ofProbabilities place = iota
	ofAttention
	ofFeedForward
	ofEmbedding
	places
)

// drop returns the chance of one row at a place: the same forward and
// backward.
func (o *stepOptions) drop(layer int, p place, row int) hash.Rand {
	return hash.Rand(hash.Pair(hash.Pair(o.seed, uint64(layer)*uint64(places)+uint64(p)), uint64(row)))
}

// mask sets dst to x without the dropped elements. dst may be x.
func mask(dst, x []float32, r hash.Rand) {
	dst = dst[:len(x)]
	for len(x) >= 8 {
		bits, a, d := r.Next(), (*[8]float32)(x), (*[8]float32)(dst)
		d[0] = a[0] * keep[uint8(bits)]
		d[1] = a[1] * keep[uint8(bits>>8)]
		d[2] = a[2] * keep[uint8(bits>>16)]
		d[3] = a[3] * keep[uint8(bits>>24)]
		d[4] = a[4] * keep[uint8(bits>>32)]
		d[5] = a[5] * keep[uint8(bits>>40)]
		d[6] = a[6] * keep[uint8(bits>>48)]
		d[7] = a[7] * keep[uint8(bits>>56)]
		x, dst = x[8:], dst[8:]
	}
	bits := r.Next()
	for i := range x {
		dst[i] = x[i] * keep[uint8(bits>>(8*i))]
	}
}

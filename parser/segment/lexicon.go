package segment

// What the lexicon knows of a normalised token, packed into 16 bits: four
// buckets of 3 bits. 0 in all is a token never seen.
type stats uint16

func (s stats) frequency() uint64 { return uint64(s & 7) }      // log scale
func (s stats) starts() uint64    { return uint64(s >> 3 & 7) } // share of occurrences that start a sentence
func (s stats) lower() uint64     { return uint64(s >> 6 & 7) } // share that starts with a lower-case letter
func (s stats) ends() uint64      { return uint64(s >> 9 & 7) } // share that ends a sentence

// wordCount counts the occurrences of a normalised token in training.
type wordCount struct{ n, starts, lower, ends int32 }

func (c wordCount) pack() stats {
	if c.n <= 0 {
		return 0
	}
	f := stats(1)
	for limit := int32(2); f < 7 && c.n >= limit; limit *= 3 {
		f++
	}
	return f | share(c.starts, c.n)<<3 | share(c.lower, c.n)<<6 | share(c.ends, c.n)<<9
}

// share buckets k/n.
func share(k, n int32) stats {
	p := float64(k) / float64(n)
	for i, limit := range [...]float64{1e-9, 0.03, 0.1, 0.3, 0.6, 0.9} {
		if p < limit {
			return stats(i)
		}
	}
	return 6
}

// A lexicon maps normalised tokens to their stats. While training it counts,
// and leaves out the occurrences of the instance at hand: otherwise no token
// would ever look unknown.
type lexicon struct {
	table  table
	counts map[uint64]wordCount // nil outside training
	held   []uint64             // one occurrence of each is left out of look
}

// look returns the stats of a token.
func (x *lexicon) look(word uint64) stats {
	if x.counts == nil {
		return stats(x.table.get(word))
	}
	c := x.counts[word]
	for _, h := range x.held {
		if h == word {
			c.n--
		}
	}
	return c.pack()
}

// without returns the stats of a token but for one occurrence with the given
// properties. Training only.
func (x *lexicon) without(word uint64, starts, lower, ends bool) stats {
	c := x.counts[word]
	c.n--
	for _, p := range [...]struct {
		is    bool
		count *int32
	}{{starts, &c.starts}, {lower, &c.lower}, {ends, &c.ends}} {
		if p.is {
			*p.count--
		}
	}
	return c.pack()
}

// freeze returns a lexicon without counts, for use. Tokens seen once are kept
// as well: that they exist is what look is asked for.
func (x *lexicon) freeze() lexicon {
	keys := make([]uint64, 0, len(x.counts))
	for k := range x.counts {
		keys = append(keys, k)
	}
	sortKeys(keys)
	values := make([]uint16, len(keys))
	for i, k := range keys {
		values[i] = uint16(x.counts[k].pack())
	}
	return lexicon{table: newTable(keys, values)}
}

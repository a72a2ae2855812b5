package segment

import "github.com/treebeam/treebeam/parser/hash"

// Keys of features begin with the number of their template. Each classifier has
// its own range of numbers, because all share one table.
const (
	tokenKeys = (1 + iota) << 8
	joinKeys
	sentenceKeys
	splitKeys
	tableKeys // of dictionaries
)

// A token is a surface token of a block, with the facts that the features use.
type token struct {
	span
	word   uint64 // hash of the normal characters
	shape  uint64 // hash of the collapsed classes
	suffix uint64 // hash of the last three normal characters
	stats  stats
	role   uint8
	gap    uint8    // kind of gap between it and the next token
	rule   uint8    // what a caller's rules decide about it
	last   uint8    // whether a sentence ends with it
	score  int32    // of a sentence end after it
	odds   int32    // log-odds of the least certain decision about its bounds and its words, in 1/unit
	words  []string // of a multiword token, else nil
}

// Whether a token is the last one of its sentence.
const (
	inside uint8 = iota
	ofSentence
	ofPiece // of a sentence with too many words
)

// certain are the log-odds of what no classifier decides. They are more than any score.
const certain = 1 << 30

// doubt lowers the token's odds to those of a decision with the given score.
func (t *token) doubt(score int32) { t.odds = min(t.odds, max(score, -score)) }

// size returns the number of words.
func (t *token) size() int { return max(1, len(t.words)) }

// Roles of tokens, as bits.
const (
	roleOpen     uint8 = 1 << iota
	roleClose          //
	roleQuote          // a quote that may open or close
	roleTerminal       // punctuation that often ends a sentence
	roleWord           // starts with a letter or a digit
	roleLower          // starts with a lower-case letter
	roleCapital        // starts with an upper-case letter
)

// newToken describes the token at s in all but stats, terminal role and gap.
func newToken(l *layout, s span) token {
	norm, class := l.norm[s.start:s.end], l.class[s.start:s.end]
	norm = plainRunes(norm)
	t := token{span: s, word: hash.Runes(norm), shape: shapeOf(class), suffix: hash.Runes(norm[max(0, len(norm)-3):]), odds: certain}
	switch c := class[0]; {
	case c == classLower:
		t.role = roleWord | roleLower
	case c == classUpper:
		t.role = roleWord | roleCapital
	case isWordly(c):
		t.role = roleWord
	case c == '(' || c == '[' || c == '{' || c == classOpen:
		t.role = roleOpen
	case c == ')' || c == ']' || c == '}' || c == classClose:
		t.role = roleClose
	case c == '"' || c == classQuote || c == '\'' && len(class) == 1:
		t.role = roleQuote
	}
	return t
}

// recall fills in stats and what depends on them.
func (t *token) recall(s stats) {
	t.stats = s
	if t.role&roleWord == 0 && s.ends() >= 4 {
		t.role |= roleTerminal
	}
}

// shapeOf hashes the classes with runs collapsed, the first ten of them.
func shapeOf(class []uint8) uint64 {
	h, last, n := uint64(hash.Start), uint8(255), 0
	for _, c := range class {
		if c != last {
			h = hash.Step(h, rune(c))
			last = c
			if n++; n == 10 {
				break
			}
		}
	}
	return hash.Mix(h)
}

// Stats hold what the lexicon counts of a normal token, in 16 bits: four
// buckets of 3 bits, and a mark. 0 stands for a token never seen.
type stats uint16

func (s stats) frequency() uint64 { return uint64(s & 7) }      // log scale
func (s stats) starts() uint64    { return uint64(s >> 3 & 7) } // share of occurrences that start a sentence
func (s stats) lower() uint64     { return uint64(s >> 6 & 7) } // share that starts with a lower-case letter
func (s stats) ends() uint64      { return uint64(s >> 9 & 7) } // share that ends a sentence

// short reports whether the token is a listed abbreviation.
func (s stats) short() bool { return s&listed != 0 }

const listed stats = 1 << 12

// occurrences count how often a normal token was seen in training.
type occurrences struct {
	n, starts, lower, ends int32
	short                  bool // it is on the list of abbreviations
}

// plus returns c with d added so many times.
func (c occurrences) plus(d occurrences, times int32) occurrences {
	return occurrences{c.n + times*d.n, c.starts + times*d.starts, c.lower + times*d.lower, c.ends + times*d.ends, c.short}
}

func (c occurrences) stats() stats {
	f := stats(0)
	if c.short {
		f = listed
	}
	if c.n <= 0 {
		return f
	}
	f++
	for limit := int32(2); f&7 < 7 && c.n >= limit; limit *= 3 {
		f++
	}
	return f | share(c.starts, c.n)<<3 | share(c.lower, c.n)<<6 | share(c.ends, c.n)<<9
}

// share returns the bucket of k/n.
func share(k, n int32) stats {
	p := float64(k) / float64(n)
	for i, limit := range [...]float64{1e-9, 0.03, 0.1, 0.3, 0.6, 0.9} {
		if p < limit {
			return stats(i)
		}
	}
	return 6
}

// A lexicon maps normal tokens to their stats. In training it counts, and
// leaves out the occurrences of the instance at hand: otherwise no token would
// ever look unknown.
type lexicon struct {
	stats   hash.Map[uint16]
	counts  map[uint64]occurrences // nil outside training
	without map[uint64]int32       // numbers of occurrences that are left out
}

func (x *lexicon) look(word uint64) stats {
	if x.counts == nil {
		s, _ := x.stats.Find(word)
		return stats(s)
	}
	c := x.counts[word]
	c.n -= x.without[word]
	return c.stats()
}

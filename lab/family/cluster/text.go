package cluster

import (
	"fmt"
	"strings"
)

// MaxText is how many words of text HMM and Type take, with those that are not
// clustered: all of them stay in memory, 4 bytes each.
const MaxText = 100 << 20

// A Text is text as numbers, for HMM and Type.
type Text struct {
	Words []string // as in Counts
	Count []int64
	// Tokens are places in Words, or len(Words) for all words that are too rare.
	Tokens []int32
	Ends   []int32 // where in Tokens each sentence ends, none of which is empty
}

// A Collector makes a Text of sentences that come one by one. The zero Collector is
// empty. It is not for two goroutines.
type Collector struct {
	ids   map[string]int32
	count []int64
	text  Text
}

// Add appends a sentence. More words than MaxText are an error.
func (c *Collector) Add(words []string) error {
	if len(c.text.Tokens)+len(words) > MaxText {
		return fmt.Errorf("more than %d words of text: take a part of it, or another method", MaxText)
	}
	if c.ids == nil {
		c.ids = map[string]int32{}
	}
	for _, w := range words {
		id, ok := c.ids[w]
		if !ok {
			id = int32(len(c.ids))
			c.ids[strings.Clone(w)] = id
			c.count = append(c.count, 0)
		}
		c.count[id]++
		c.text.Tokens = append(c.text.Tokens, id)
	}
	if len(words) > 0 {
		c.text.Ends = append(c.text.Ends, int32(len(c.text.Tokens)))
	}
	return nil
}

// Text returns what was added, with the words that occur least times or more and have
// MaxWord bytes at most, but at most most of them. The Collector is empty afterwards.
func (c *Collector) Text(least int64, most int) *Text {
	all := make(map[string]int64, len(c.ids))
	for w, id := range c.ids {
		if w != "" && len(w) <= MaxWord { // others would make a table that Read refuses
			all[w] = c.count[id]
		}
	}
	ranked, place := Rank(all, least, most)
	to := make([]int32, len(c.ids))
	for w, id := range c.ids {
		at, ok := place[w]
		if !ok {
			at = int32(len(ranked.Words))
		}
		to[id] = at
	}
	t := c.text
	t.Words, t.Count = ranked.Words, ranked.Count
	for i, id := range t.Tokens {
		t.Tokens[i] = to[id]
	}
	*c = Collector{}
	return &t
}

// MaxStates is the most classes of HMM and Type, whose time grows with their square.
const MaxStates = 256

// maxCells bounds the words of HMM and Type times their classes: memory is 16 bytes for
// each of these, 2 GB.
const maxCells = 1 << 27

// check reports what HMM and Type cannot work with.
func (t *Text) check(classes int) error {
	if len(t.Words) == 0 || len(t.Tokens) == 0 {
		return fmt.Errorf("no words to cluster")
	}
	if classes < 1 || classes > MaxStates {
		return fmt.Errorf("%d classes: must be 1 to %d", classes, MaxStates)
	}
	if most := maxCells / classes; len(t.Words) > most {
		return fmt.Errorf("%d words: at most %d can be in %d classes; take fewer words or classes", len(t.Words), most, classes)
	}
	return nil
}

// sentence returns where sentence i begins and ends.
func (t *Text) sentence(i int) (from, to int32) {
	if i > 0 {
		from = t.Ends[i-1]
	}
	return from, t.Ends[i]
}

// flatTable returns the words with the class that each has most often: often has a
// number for each word and class. Bits have the width that all classes need; classes
// are numbered by their most frequent words.
func (t *Text) flatTable(often []float64, classes int) *Table {
	width := 1
	for 1<<width < classes {
		width++
	}
	number := make([]int, classes) // 1-based
	used := 0
	table := &Table{}
	names := map[int]string{}
	for w, word := range t.Words {
		best := 0
		for k := range classes {
			if often[w*classes+k] > often[w*classes+best] {
				best = k
			}
		}
		if number[best] == 0 {
			used++
			number[best] = used
			names[used] = fmt.Sprintf("%0*b", width, used-1)
		}
		table.Rows = append(table.Rows, Row{names[number[best]], word, t.Count[w]})
	}
	table.sort()
	return table
}

package word

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Bounds of Clusters.
const (
	MaxClusters     = 60_000    // classes
	MaxClusterWords = 1_000_000 // forms
)

// A Cluster is the class of a word as templates read it. Full is the number of the
// class. Four and Six are the numbers of the first four and six bits of its path in the
// tree of classes. If the bits of all classes have the same length, they are not paths
// in a tree, and all three are the number of the class. All three are 0 for a form
// without a class.
type Cluster struct{ Full, Four, Six uint16 }

// Clusters of positions without a word. No class of a word has these numbers.
var (
	rootCluster    = Cluster{1<<16 - 1, 1<<16 - 1, 1<<16 - 1}
	outsideCluster = Cluster{1<<16 - 2, 1<<16 - 2, 1<<16 - 2}
)

// Clusters are word classes learned from raw text, such as those of Brown et al.
// (1992). Koo, Carreras and Collins (2008) use prefixes of their bits as coarser
// classes. Clusters are read-only and safe for concurrent use. Nil has no classes.
type Clusters struct {
	numbers hash.Map[uint16] // of the class, from 1, of plain forms, their lower case, and numbers with all digits 0
	short   []uint16         // first four and six bits of class i: short[2*i], short[2*i+1]
}

// A ClusterWord is a line of a file of clusters: the bits of a class, a form in the
// class, and the count of the form.
type ClusterWord struct {
	Bits, Form string
	Count      int64
}

// NewClusters makes Clusters of a list. A form that is listed twice gets the class in
// which its count is highest. The same holds for a lower-case form that is not listed,
// and for forms that differ only in digits. casing is the casing of the language.
// NewClusters returns an error if the list is empty, if it exceeds MaxClusters or
// MaxClusterWords, or if bits have characters other than 0 and 1.
func NewClusters(list []ClusterWord, casing Casing) (*Clusters, error) {
	switch {
	case len(list) == 0:
		return nil, errors.New("no word has a class")
	case len(list) > MaxClusterWords:
		return nil, fmt.Errorf("%d words have classes, at most %d are supported", len(list), MaxClusterWords)
	}
	numbers := make(map[string]uint16)
	for i := range list {
		numbers[list[i].Bits] = 0
	}
	if len(numbers) > MaxClusters {
		return nil, fmt.Errorf("%d classes, at most %d are supported", len(numbers), MaxClusters)
	}
	all := slices.Sorted(maps.Keys(numbers))
	flat := !slices.ContainsFunc(all, func(bits string) bool { return len(bits) != len(all[0]) })
	c := &Clusters{short: make([]uint16, 2, 2*len(all)+2)}
	for i, bits := range all {
		if bits == "" || strings.Trim(bits, "01") != "" {
			return nil, fmt.Errorf("class %q: want bits, 0 or 1", bits)
		}
		numbers[bits] = uint16(i + 1)
		four, six := prefix(bits, 4), prefix(bits, 6)
		if flat {
			four, six = numbers[bits], numbers[bits]
		}
		c.short = append(c.short, four, six)
	}
	c.fill(list, numbers, casing)
	return c, nil
}

// prefix returns the first length bits with a 1 in front: 1 to 127 for six.
func prefix(bits string, length int) uint16 {
	x := uint16(1)
	for _, b := range []byte(bits[:min(length, len(bits))]) {
		x = x<<1 | uint16(b&1)
	}
	return x
}

// fill sets the numbers of words. Votes for the listed forms come first, then votes
// for their lower case, then votes for numbers. The class with the most votes wins;
// in a tie, the first.
func (c *Clusters) fill(list []ClusterWord, numbers map[string]uint16, casing Casing) {
	type choice struct {
		key    hash.Key
		number uint16
	}
	var keys []hash.Key
	winners := make(map[hash.Key]uint16)
	for _, keyOf := range []func(*Form) hash.Key{
		func(f *Form) hash.Key { return f.Hash },
		func(f *Form) hash.Key { return f.Lower },
		func(f *Form) hash.Key { return f.Folded },
	} {
		votes := make(map[choice]int64)
		for _, w := range list {
			if w.Form == "" {
				continue
			}
			var f Form
			f.Read(w.Form, casing)
			if _, known := winners[keyOf(&f)]; !known {
				votes[choice{keyOf(&f), numbers[w.Bits]}] += max(w.Count, 1)
			}
		}
		choices := slices.SortedFunc(maps.Keys(votes), func(a, b choice) int {
			return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(votes[b], votes[a]), cmp.Compare(a.number, b.number))
		})
		for _, x := range choices {
			if _, known := winners[x.key]; !known {
				winners[x.key] = x.number
				keys = append(keys, x.key)
			}
		}
	}
	values := make([]uint16, len(keys))
	for i, key := range keys {
		values[i] = winners[key]
	}
	c.numbers = hash.NewMap(keys, values, false)
}

// Of returns the class of the form, or else of its lower case, or else of the form with
// every digit 0.
func (c *Clusters) Of(f *Form) Cluster {
	if c == nil {
		return Cluster{}
	}
	n, known := c.numbers.Find(f.Hash)
	if !known && f.Differ {
		n, known = c.numbers.Find(f.Lower)
	}
	if !known && f.Signs&Digit != 0 {
		n, known = c.numbers.Find(f.Folded)
	}
	if !known {
		return Cluster{}
	}
	short := c.short[2*int(n):]
	return Cluster{n, short[0], short[1]}
}

// Share returns the share of the words of the sentences that have a class, in [0,1].
func (c *Clusters) Share(list []syntax.Sentence, casing Casing) float64 {
	have := 0
	for w := range syntax.Words(list) {
		var f Form
		if f.Read(w.Form, casing); (c.Of(&f) != Cluster{}) {
			have++
		}
	}
	return float64(have) / float64(max(syntax.CountWords(list), 1))
}

// Classes returns the number of classes.
func (c *Clusters) Classes() int { return len(c.short)/2 - 1 }

// ClustersName is the beginning of the names of the sections of Clusters in a
// Vocabulary.
const ClustersName = "clusters"

func (c *Clusters) layout(l *pack.Layout) {
	c.numbers.Layout(l, "words", "numbers")
	pack.Array(l, "short", &c.short)
	l.Check("short", len(c.short) >= 2 && len(c.short)%2 == 0 && len(c.short) <= 2*MaxClusters+2,
		"is not made of so many pairs")
	pack.Below(l, "numbers", c.numbers.Values(), len(c.short)/2)
}

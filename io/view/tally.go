package view

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
)

// A tally counts things by name, with sums of up to four values. It tells the
// first maxNames different names apart, and counts what comes later together:
// input may hold any tags, labels and words.
type tally struct {
	byName map[string]*count
	others count
}

// maxNames is more than the tags and labels of a language, and than the words
// before each of its common ones was met.
const maxNames = 50_000

type count struct {
	Name   string
	N      int64
	Sums   [4]float64
	Valued [4]int64 // how many had the value
}

// of returns the count of a name.
func (t *tally) of(name string) *count {
	if c := t.byName[name]; c != nil {
		return c
	}
	if len(t.byName) >= maxNames {
		return &t.others
	}
	if t.byName == nil {
		t.byName = map[string]*count{}
	}
	c := &count{Name: name}
	t.byName[name] = c
	return c
}

// value adds to the sum of a value.
func (c *count) value(i int, v float64) {
	c.Sums[i] += v
	c.Valued[i]++
}

// top returns the commonest n names, the commonest first, how many more there
// are, and the total of all.
func (t *tally) top(n int) (list []*count, more int, total int64) {
	total = t.others.N
	for _, c := range t.byName {
		total += c.N
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b *count) int { return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Name, b.Name)) })
	if len(list) > n {
		list, more = list[:n], len(list)-n
	}
	return list, more, total
}

// A histogram counts values in bins. Bin i holds values below Ends[i] and not
// below Ends[i-1]; the last one everything else.
type histogram struct {
	Ends   []float64
	Names  []string // one more than Ends
	Counts []int64
	N      int64
	Sum    float64
}

func newHistogram(ends []float64, names []string) *histogram {
	return &histogram{Ends: ends, Names: names, Counts: make([]int64, len(names))}
}

func (h *histogram) add(v float64) {
	i, equal := slices.BinarySearch(h.Ends, v)
	if equal {
		i++
	}
	h.Counts[i]++
	h.N++
	h.Sum += v
}

// shares has 20 bins for values in [0, 1].
func shares() *histogram {
	var ends []float64
	var names []string
	for i := range 20 {
		if i > 0 {
			ends = append(ends, float64(i)/20)
		}
		names = append(names, fmt.Sprintf("%.2f to %.2f", float64(i)/20, float64(i+1)/20))
	}
	return newHistogram(ends, names)
}

// margins has bins that double for values in [0, 64], 0 and 64 on their own.
func margins() *histogram {
	ends := []float64{1.0 / 4096}
	names := []string{"0"}
	last := "0"
	for _, end := range []float64{0.25, 0.5, 1, 2, 4, 8, 16, 32, 64} {
		ends = append(ends, end)
		name := strconv.FormatFloat(end, 'g', -1, 64)
		names = append(names, last+" to "+name)
		last = name
	}
	return newHistogram(ends, append(names, "64"))
}

// lengths has bins for numbers of words.
func lengths() *histogram {
	var ends []float64
	var names []string
	from := 1
	for _, to := range []int{5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 60, 80, 100, 200} {
		ends = append(ends, float64(to+1))
		names = append(names, fmt.Sprintf("%d to %d", from, to))
		from = to + 1
	}
	return newHistogram(ends, append(names, "over 200"))
}

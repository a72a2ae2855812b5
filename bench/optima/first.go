package main

import (
	"cmp"
	"fmt"
	"slices"

	"gonum.org/v1/plot/plotter"

	"github.com/treebeam/treebeam/bench/optima/firstorder"
	"github.com/treebeam/treebeam/parser/hash"
)

// maxSituations bounds the work of counting the optima of one sentence. What
// is cut short has more optima than the largest bound of countBins.
const maxSituations = 1 << 14

// countBins are the largest counts of the columns of the histogram.
var (
	countBins = []uint64{1, 10, 100, 1000, 10_000}
	countName = []string{"1", "2-10", "11-100", "101-1,000", "1,001-10,000", "> 10,000"}
	sizeBins  = []int{5, 10, 15, 20, 30, 40, 1 << 30}
	sizeName  = []string{"1-5", "6-10", "11-15", "16-20", "21-30", "31-40", "> 40"}
)

// shortWords divides sentences as the paper does.
const shortWords = 15

// Where climbs start.
const (
	uniform = iota
	sampled
	optimum
)

var startName = []string{uniform: "uniform", sampled: "first-order sampled", optimum: "first-order optimum"}

// A course is what climbs from one kind of start did to one sentence.
type course struct {
	startRight int     // right heads of the first start, of the first climb's end
	score      []int64 // by dial: best so far
	right      []int   // of the best so far
}

// follow makes climbs 1, 2, ... and records the best tree at every dial. next
// makes climb j and returns its end, by word minus 1, and its score.
func (a *analysis) follow(s *tested, next func(j int) (start, end []int32, score int64)) course {
	var c course
	best, right := int64(0), 0
	for j, at := 1, 0; at < len(a.dials); j++ {
		start, end, score := next(j)
		if j == 1 {
			c.startRight = s.right(start)
		}
		if j == 1 || score > best {
			best, right = score, s.right(end)
		}
		if j == a.dials[at] {
			c.score, c.right = append(c.score, best), append(c.right, right)
			at++
		}
	}
	return c
}

// An exact is what is known of one sentence under the first-order model.
type exact struct {
	count                  uint64
	tied, multiRoot        bool
	best                   int64 // score of the best tree
	bestRight, greedyRight int   // right heads of it, and of the best head of every word
	courses                [2]course
}

// seedOf makes the random state of restart j of a sentence.
func (a *analysis) seedOf(sentence, kind, j int) hash.Rand {
	r := hash.Rand(a.seed)
	for _, k := range []int{sentence, kind, j} {
		r = hash.Rand(r.Next() ^ uint64(k))
	}
	return r
}

func (a *analysis) firstOrder(b *bank, i int) exact {
	s := &b.all[i]
	n := len(s.Words)
	scores := firstorder.New(n, b.model.Pruner.Pairs(&s.Sentence))
	f := exact{tied: scores.Tied()}
	f.count, _ = scores.Count(maxSituations)
	head, start := make([]int32, n+1), make([]int32, n+1)
	for m := 1; m <= n; m++ {
		head[m] = scores.Favourite(m)
	}
	f.greedyRight = s.right(head[1:])
	scores.Best(head)
	f.best, f.bestRight = scores.Total(head), s.right(head[1:])
	roots := 0
	for _, h := range head[1:] {
		if h == 0 {
			roots++
		}
	}
	f.multiRoot = roots > 1
	var climber firstorder.Climber
	climber.Prepare(scores, b.model.Pruner.Nat())
	for kind := range f.courses {
		f.courses[kind] = a.follow(s, func(j int) ([]int32, []int32, int64) {
			r := a.seedOf(i, kind, j)
			if kind == uniform {
				climber.Uniform(scores, start, &r)
			} else {
				climber.Sampled(scores, start, &r)
			}
			copy(head, start)
			climber.Climb(scores, head)
			return start[1:], head[1:], scores.Total(head)
		})
	}
	return f
}

// optima reports on the first-order model, as Zhang, Lei, Barzilay and Jaakkola
// do (2014, Tables 1 and 2).
func (a *analysis) optima(banks []*bank) {
	results := make([][]exact, len(banks))
	for k, b := range banks {
		results[k] = make([]exact, len(b.all))
		a.each(len(b.all), func(i int) { results[k][i] = a.firstOrder(b, i) })
	}
	a.countTable(banks, results)
	a.lengthTable(banks, results)
	a.climbTable(banks, results)
}

func (a *analysis) countTable(banks []*bank, results [][]exact) {
	d := &a.pages
	d.section("Local optima of the first-order model",
		"The scores are those of both stages of the pruner, for all pairs of words. Any number of words may depend on the root. "+
			"If heads of a word tie, the leftmost counts as better. The percent columns give the number of optima that this share of the sentences does not exceed. "+
			"Zhang et al. (2014, Table 2), test sets of 12 to 37 words per sentence: 1 to 21 at 50 %, 1 to 121 at 70 %, 2 to over 10,000 at 90 %.")
	d.header("treebank", "sentences", "mean words", "tied scores, %", "one optimum, %", "50 %", "70 %", "90 %", "99 %", "bound 2^(n-1) at the mean")
	for k, b := range banks {
		counts := make([]uint64, 0, len(b.all))
		tied, one, words := 0, 0, 0
		for i, f := range results[k] {
			counts = append(counts, f.count)
			words += len(b.all[i].Words)
			if f.tied {
				tied++
			}
			if f.count == 1 {
				one++
			}
		}
		slices.Sort(counts)
		n := len(counts)
		at := func(p int) string {
			c := counts[(n*p+99)/100-1]
			if c > countBins[len(countBins)-1] {
				return countName[len(countBins)]
			}
			return fmt.Sprint(c)
		}
		mean := float64(words) / float64(n)
		d.row(b.name, n, fmt.Sprintf("%.1f", mean), percent(tied, n), percent(one, n), at(50), at(70), at(90), at(99),
			fmt.Sprintf("2^%.1f", mean-1))
	}
}

func (a *analysis) lengthTable(banks []*bank, results [][]exact) {
	d := &a.pages
	d.section("Sentences by length and number of local optima", "In percent of the sentences of that length.")
	d.header(append([]string{"treebank", "words", "sentences"}, countName...)...)
	p := figure{name: "histogram", title: "Local optima of the first-order model by sentence length", x: "words", y: "% of sentences",
		categories: sizeName, keys: countName}
	for k, b := range banks {
		cells := make([][]int, len(sizeBins))
		for i := range cells {
			cells[i] = make([]int, len(countName))
		}
		for i, f := range results[k] {
			size, _ := slices.BinarySearch(sizeBins, len(b.all[i].Words))
			column, _ := slices.BinarySearchFunc(countBins, f.count, cmp.Compare[uint64])
			cells[size][column]++
		}
		one := panel{title: b.name}
		for size, row := range cells {
			total := 0
			for _, c := range row {
				total += c
			}
			shares, bars := []any{b.name, sizeName[size], total}, make([]float64, len(row))
			for i, c := range row {
				bars[i] = percent(c, total)
				shares = append(shares, bars[i])
			}
			one.bars = append(one.bars, bars)
			if total > 0 {
				d.row(shares...)
			}
		}
		p.panels = append(p.panels, one)
	}
	d.figures = append(d.figures, p)
}

func (a *analysis) climbTable(banks []*bank, results [][]exact) {
	d := &a.pages
	d.section("First-order climbs against the exact optimum",
		"\"Found after\" a number of climbs: percent of the sentences for which the best tree so far has the score of the maximum spanning tree. "+
			"The table has the UAS of heads chosen one by one, of the maximum spanning tree, of the starts, and of the trees after one climb and after all climbs. "+
			"Zhang et al. (Tables 1 and 2): a tree gains 0.2 to 0.5 over heads alone; 300 uniform climbs find the optimum in 100 % of sentences up to 15 words and 98.1 to 100 % of longer ones.")
	columns := []string{"treebank", "UAS heads alone", "UAS best tree", "more than one root, %", "start", "UAS start", "UAS 1 climb", fmt.Sprintf("UAS %d", a.restarts)}
	for _, dial := range a.dials {
		columns = append(columns, fmt.Sprintf("found after %d", dial))
	}
	middle := slices.IndexFunc(a.dials, func(dial int) bool { return dial >= min(300, a.restarts) })
	for _, part := range []string{"<=", ">"} {
		columns = append(columns, fmt.Sprintf("%d, %s %d words", a.dials[middle], part, shortWords))
	}
	d.header(columns...)
	p := figure{name: "found", title: "First-order climbs that find the exact optimum", x: "climbs", y: "% of sentences", logX: true,
		keys: startName[:2]}
	for k, b := range banks {
		one := panel{title: b.name}
		for kind := range 2 {
			c := summarize(b, results[k], kind, len(a.dials), middle)
			row := []any{b.name, c.greedy, c.best, c.multiRoot, startName[kind], c.start, c.uas[0], c.uas[len(a.dials)-1]}
			var curve plotter.XYs
			for at, dial := range a.dials {
				row = append(row, c.found[at])
				curve = append(curve, plotter.XY{X: float64(dial), Y: c.found[at]})
			}
			d.row(append(row, c.short, c.long)...)
			one.lines = append(one.lines, curve)
		}
		p.panels = append(p.panels, one)
	}
	d.figures = append(d.figures, p)
}

// A firstOrderSummary holds percentages over the sentences or words of a bank.
type firstOrderSummary struct {
	greedy, best, start, multiRoot float64
	found, uas                     []float64 // by dial
	short, long                    float64   // found at the middle dial
}

func summarize(b *bank, results []exact, kind, dials, middle int) firstOrderSummary {
	words, greedy, best, start, roots := 0, 0, 0, 0, 0
	found, right := make([]int, dials), make([]int, dials)
	var total, hit [2]int // by length
	for i, f := range results {
		n := len(b.all[i].Words)
		words += n
		greedy += f.greedyRight
		best += f.bestRight
		start += f.courses[kind].startRight
		if f.multiRoot {
			roots++
		}
		long := 0
		if n > shortWords {
			long = 1
		}
		total[long]++
		for at := range dials {
			right[at] += f.courses[kind].right[at]
			if f.courses[kind].score[at] == f.best {
				found[at]++
				if at == middle {
					hit[long]++
				}
			}
		}
	}
	s := firstOrderSummary{
		greedy: percent(greedy, words), best: percent(best, words), start: percent(start, words),
		multiRoot: percent(roots, len(results)), short: percent(hit[0], total[0]), long: percent(hit[1], total[1]),
	}
	for at := range dials {
		s.found = append(s.found, percent(found[at], len(results)))
		s.uas = append(s.uas, percent(right[at], words))
	}
	return s
}

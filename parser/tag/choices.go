package tag

import (
	"slices"

	"github.com/treebeam/treebeam/parser/syntax"
)

// Bounds say how many choices a word gets (Choices).
type Bounds struct {
	Tags  int   // UPOS and XPOS; 1 or less: those of the tagger
	Feats int   // FEATS beside the tagger's UPOS and XPOS, likewise
	Most  int64 // how far below the best path the best one with a choice may be, in 1/1024 nat
}

// Choices tags a copy of s and returns what its words may be, the tagger's own
// first, the others by falling score: the UPOS and XPOS of its lattice, each with
// the FEATS and the lemma that go with it if all other words stay; and other FEATS
// of the tagger's UPOS and XPOS. The score of a path is the tagger's, of FEATS next
// to those of the neighbours. Words whose tag is given, by the input if r.Retag
// is not set or by r.Exceptions, have one choice, and so have all words if the input
// gives any tag.
func (m *Model) Choices(s *syntax.Sentence, r Request, b Bounds) (c syntax.Choices) {
	sc, _ := m.pool.Get().(*scratch)
	if sc == nil {
		sc = &scratch{}
	}
	x := m.choose(sc, s, r, b)
	c.Words, c.Pairs = x.choices(), x.pairs()
	m.pool.Put(sc) // but not after a panic, which leaves it as it is
	return c
}

// choose tags a copy of s and finds the options of its words. The lattice of sc is
// then that of the second layer.
func (m *Model) choose(sc *scratch, s *syntax.Sentence, r Request, b Bounds) *chooser {
	given := func(w syntax.Word) bool { return w.UPOS != "" || w.XPOS != "" || w.Feats != "" }
	if !r.Retag && slices.ContainsFunc(s.Words, given) {
		b.Tags, b.Feats = 1, 1
	}
	r.Heat = HeatUnit // of probabilities that nobody reads
	x := &chooser{m: m, sc: sc, r: r, s: *s}
	x.s.Words = slices.Clone(s.Words)
	sc.text.read(&x.s, m.lex)
	x.tags = slices.Clone(m.tagWords(sc, &x.s, r))
	x.readTags(b)
	m.morphWords(sc, &x.s, x.tags, r.Retag, true)
	x.readFeats(b)
	return x
}

// JackknifeChoices is Jackknife, and returns the choices of every sentence, too, by
// the model that tagged it.
func JackknifeChoices(train []syntax.Sentence, folds int, b Bounds, o Options) ([]syntax.Sentence, []syntax.Choices, error) {
	choices := make([]syntax.Choices, len(train))
	out, err := jackknife(train, folds, o, func(m *Model, i int, s *syntax.Sentence) {
		m.Tag(s, true)
		choices[i] = m.Choices(s, Request{Retag: true}, b)
	})
	return out, choices, err
}

// A chooser is what Choices needs.
type chooser struct {
	m      *Model
	sc     *scratch
	r      Request
	s      syntax.Sentence // with the tagger's tags
	tags   []uint16        // of its best path
	labels [][]option      // of the first layer, by word
	feats  [][]option      // of the second, beside the best one
}

// An option is a label and its score, in units of 1/scoreUnit.
type option struct {
	label uint16
	score int64
}

// byScore has the best option first; of equal ones the lower label.
func byScore(a, b option) int {
	if a.score != b.score {
		return int(min(max(b.score-a.score, -1), 1))
	}
	return int(a.label) - int(b.label)
}

// readTags fills labels from the lattice of the first layer, which was searched.
func (x *chooser) readTags(b Bounds) {
	lat, post := &x.sc.lat, &x.sc.post
	x.labels = make([][]option, len(x.tags))
	for i, own := range x.tags {
		lo, hi := lat.start[i], lat.start[i+1]
		top := post.through(lat, lo, lo)
		for c := lo; c < hi; c++ {
			top = max(top, post.through(lat, lo, c))
		}
		var others []option
		for c := lo; c < hi; c++ {
			o := option{lat.label[c], int64(lat.emit[c])}
			if o.label == own {
				x.labels[i] = []option{o}
			} else if nats(top-post.through(lat, lo, c)) <= b.Most {
				others = append(others, o)
			}
		}
		if x.sc.given[i] == "" {
			slices.SortFunc(others, byScore)
			x.labels[i] = append(x.labels[i], others[:min(len(others), max(b.Tags, 1)-1)]...)
		}
	}
}

// nats returns a score in 1/1024 nat.
func nats(score int64) int64 { return score << natShift * 1024 / scoreUnit }

// readFeats fills feats from the lattice of the second layer, which was searched.
func (x *chooser) readFeats(b Bounds) {
	lat, ls, pairs := &x.sc.lat, &x.m.morph.labels, x.m.morph.pairs
	x.feats = make([][]option, len(x.tags))
	for i := range x.tags {
		var own int64
		var others []option
		for c := lat.start[i]; c < lat.start[i+1]; c++ {
			o := option{lat.label[c], int64(lat.emit[c])}
			if i > 0 {
				o.score += int64(pairScore(ls, pairs, lat.path[i-1], o.label))
			}
			if i+1 < len(x.tags) {
				o.score += int64(pairScore(ls, pairs, o.label, lat.path[i+1]))
			}
			if o.label == lat.path[i] {
				own = o.score
			} else {
				others = append(others, o)
			}
		}
		slices.SortFunc(others, byScore)
		for _, o := range others[:min(len(others), max(b.Feats, 1)-1)] {
			if o.score -= own; nats(-o.score) <= b.Most && x.sc.given[i] == "" {
				x.feats[i] = append(x.feats[i], o)
			}
		}
	}
}

// choices returns the choices of all words: options of the first layer, then FEATS
// of the first of these.
func (x *chooser) choices() [][]syntax.Choice {
	out := make([][]syntax.Choice, len(x.tags))
	for i := range x.s.Words {
		best := x.labels[i][0].score
		out[i] = append(out[i], x.choice(i, &x.s.Words[i], 0))
		for _, o := range x.labels[i][1:] {
			w := x.with(i, o.label)
			out[i] = append(out[i], x.choice(i, &w, nats(o.score-best)))
		}
		for _, o := range x.feats[i] {
			w := x.s.Words[i]
			if w.Feats = x.m.feats[o.label]; x.m.fine {
				w.XPOS = x.m.fineXPOS[o.label]
			}
			out[i] = append(out[i], x.choice(i, &w, nats(o.score)))
		}
	}
	return out
}

// with returns word i with a label of the first layer, and the FEATS that follow
// if all other words stay. It searches again only the words from morphReach before
// i to where the best paths no longer depend on what has changed.
func (x *chooser) with(i int, label uint16) syntax.Word {
	sc, m, ls, pairs := x.sc, x.m, &x.m.morph.labels, x.m.morph.pairs
	lat, part := &sc.lat, &sc.part
	own := x.tags[i]
	x.tags[i] = label
	part.reset()
	base := max(i-morphReach, 0) // first word of part
	k := base
	if k > 0 { // the word before stands for the paths that end in it
		base--
		lo, hi := lat.start[base], lat.start[k]
		part.copyWord(lat.label[lo:hi], lat.best[lo:hi])
		part.reach(0, ls, pairs)
	}
	var at int32 // candidate of word k on the best path
	for ; ; k++ {
		lo, hi := lat.start[k], lat.start[k+1]
		if k <= i+morphReach {
			m.pushMorphs(sc, part, &x.s, k, x.tags, true)
		} else {
			part.copyWord(lat.label[lo:hi], lat.emit[lo:hi])
		}
		part.reach(k-base, ls, pairs)
		if k == len(x.tags)-1 {
			at = part.top(k - base)
			break
		}
		if first := part.start[k-base]; k > i+morphReach && sameButConstant(part.best[first:], lat.best[lo:hi]) {
			at = first + int32(slices.Index(lat.label[lo:hi], lat.path[k]))
			break
		}
	}
	for ; k > i; k-- {
		at = part.back[at]
	}
	x.tags[i] = own
	w, feats := x.s.Words[i], part.label[at]
	w.UPOS, w.XPOS, w.Feats = m.upos[label], m.xpos[label], m.feats[feats]
	if m.fine {
		w.XPOS = m.fineXPOS[feats]
	}
	return w
}

// sameButConstant reports whether the scores of the same candidates in two lattices
// differ by a constant: no word behind them then tells one lattice from the other.
func sameButConstant(a, b []int32) bool {
	for c := range a {
		if a[c]-b[c] != a[0]-b[0] {
			return false
		}
	}
	return true
}

// choice returns w, word i, with its lemma.
func (x *chooser) choice(i int, w *syntax.Word, score int64) syntax.Choice {
	lemma := lemmaFor(x.r.Exceptions.rowsOf(w.Form), w.UPOS)
	if lemma == "" {
		lemma = x.m.lemmaOf(x.sc, w, x.sc.text.at(i).form)
	}
	return syntax.Choice{UPOS: w.UPOS, XPOS: w.XPOS, Feats: w.Feats, Lemma: lemma, Score: score}
}

// pairs returns the scores of the choices of neighbours.
func (x *chooser) pairs() [][]int64 {
	out := make([][]int64, max(len(x.tags)-1, 0))
	label := func(i, k int) uint16 { // of choice k: those with other FEATS have the first
		if k < len(x.labels[i]) {
			return x.labels[i][k].label
		}
		return x.labels[i][0].label
	}
	for i := range out {
		rows, columns := len(x.labels[i])+len(x.feats[i]), len(x.labels[i+1])+len(x.feats[i+1])
		for k := range rows * columns {
			a, b := label(i, k/columns), label(i+1, k%columns)
			out[i] = append(out[i], nats(int64(pairScore(&x.m.tags.labels, x.m.tags.pairs, a, b))))
		}
	}
	return out
}

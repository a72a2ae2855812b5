package encode

import (
	"math"
	"slices"
	"strconv"
	"unicode"
	"unicode/utf8"

	"github.com/treebeam/treebeam/parser/piece"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Begins appends to dst, for each code point of a text, the log-odds that it begins a
// word, in units of 1/score.Unit nat, between -30 and 30 nats. The value is 0 for white
// space, for letters and digits inside a run of letters of a script with spaces, and
// for all else that the encoder has no classifier for. text should be plain
// (word.Plain), like the text in training.
//
// Begins reads the text in pieces that end at punctuation and have a bounded length, so
// its scratch does not grow with the text. Like Encode, it gives the same result on
// every processor. It accepts any text and is safe for concurrent use.
func (m *Model) Begins(dst []int32, text string) []int32 {
	from := len(dst)
	dst = append(dst, make([]int32, utf8.RuneCountInString(text))...)
	list := m.begins()
	if len(list) == 0 {
		return dst
	}
	x, odds := m.get(), dst[from:]
	read := func(m *Model, run *syntax.Sentence) { x.begins(m, run, list, odds) }
	for place := int32(0); len(text) > 0; {
		end := runEnd(text)
		run := m.pieces.Run(text[:end])
		for i := range run.Words {
			run.Words[i].StartChar += place
			run.Words[i].EndChar += place
		}
		if len(run.Words) > 0 {
			x.take(m, &run, read)
		}
		text, place = text[end:], place+int32(utf8.RuneCountInString(text[:end]))
	}
	x.flush(m, read)
	m.pool.Put(x) // not after a panic, which may leave x in any state
	return dst
}

// places are where a row of all classifiers has the scores of "0" and "1".
type places struct{ no, yes int }

// begins returns the classifiers of the first, second, ... character of a unit.
func (m *Model) begins() (list []places) {
	for len(list) < MaxBegins {
		at := 0
		i := slices.IndexFunc(m.heads.classifiers, func(c Classifier) bool {
			if c.Name == BeginPrefix+strconv.Itoa(len(list)) {
				return true
			}
			at += len(c.Values)
			return false
		})
		if i < 0 {
			break
		}
		values := m.heads.classifiers[i].Values
		no, yes := slices.Index(values, "0"), slices.Index(values, "1")
		if no < 0 || yes < 0 {
			break
		}
		list = append(list, places{at + no, at + yes})
	}
	return list
}

// begins sets the log-odds of the characters of a run from the vectors of its units, whose
// StartChar and EndChar are indices into odds.
func (x *scratch) begins(m *Model, run *syntax.Sentence, list []places, odds []int32) {
	y, c := &m.heads, &x.heads
	t, k := y.tag.rows, y.classifier.rows
	x.tagVectors(m, len(run.Words))
	c.scores = resize(c.scores, block*k)
	for i := range run.Words {
		if i%block == 0 {
			y.classifier.apply(&x.blocks, c.scores, c.modifiers[i*t:], min(block, len(run.Words)-i))
		}
		row, w := c.scores[i%block*k:], &run.Words[i]
		n := min(int(w.EndChar-w.StartChar), len(list))
		if r, _ := utf8.DecodeRuneInString(w.Form); !piece.Unspaced(r) {
			n = 1
		}
		for j, p := range list[:n] {
			v := max(least, min(-least, float32((row[p.yes]-row[p.no])*unit)))
			odds[int(w.StartChar)+j] = int32(math.RoundToEven(float64(v)))
		}
	}
}

// maxRun is the largest number of code points of a text that are read at once.
const maxRun = 400

// runEnd returns how many bytes of a text to read at once: to the end of a sentence, or of
// the last phrase that has room. A quotation mark may open or close: it stays with the
// sentence before it, which goes on.
func runEnd(text string) int {
	phrase, n := 0, 0
	ended, dotted := false, false // by a mark; by a period, behind which white space must follow
	for i, r := range text {
		mark, quote := unicode.Is(unicode.Sentence_Terminal, r), r == '"' || r == '\''
		switch {
		case dotted && unicode.IsSpace(r), ended && !mark && !quote && !unicode.In(r, unicode.Pe, unicode.Pf):
			return i
		case n == maxRun && phrase > 0:
			return phrase
		case n == maxRun:
			return i
		}
		n++
		dotted = r == '.' || dotted && unicode.IsPunct(r)
		ended = !quote && (ended || mark && r != '.')
		if n >= maxRun/2 && (unicode.IsSpace(r) || unicode.IsPunct(r)) {
			_, size := utf8.DecodeRuneInString(text[i:])
			phrase = i + size
		}
	}
	return len(text)
}

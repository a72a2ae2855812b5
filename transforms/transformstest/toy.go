// Package transformstest has a toy model for tests of the pipeline: fast,
// deterministic, and with defects that a test can plant in its input.
package transformstest

import (
	"cmp"
	"errors"
	"hash/fnv"
	"slices"
	"strings"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/tag"
	"github.com/treebeam/treebeam/transforms"
)

// ModelURI opens the toy once Register was called.
const ModelURI = "toy:"

// Words that make a stage of the toy panic.
const (
	PanicSegment = "PANICSEGMENT"
	PanicTag     = "PANICTAG"
	PanicPrune   = "PANICPRUNE"
	PanicParse   = "PANICPARSE"
	Headless     = "CYCLIC" // Parse gives it itself as its head
)

// Plain is the part of Stages that most toys do without.
type Plain struct{}

// Calibrate implements transforms.Stages.
func (Plain) Calibrate(*syntax.Sentence, []bool, []bool) {}

// Encodes implements transforms.Stages.
func (Plain) Encodes() bool { return false }

// CanChoose implements transforms.Stages.
func (Plain) CanChoose() bool { return false }

// Encode implements transforms.Stages.
func (Plain) Encode([]*syntax.Sentence) {}

// With implements transforms.Stages.
func (Plain) With(*model.Lists) (transforms.Stages, error) {
	return nil, errors.New("this toy takes no lists")
}

// Language implements transforms.Stages.
func (Plain) Language() string { return syntax.English }

// TrainedOn implements transforms.Stages.
func (Plain) TrainedOn() string { return "" }

// A Toy cuts at white space, ends sentences after ".", "?" and "!", tags by
// the form and hangs every word on the one before it. It does not know words
// whose first letter is not ASCII.
type Toy struct {
	Plain
	Opened atomic.Int64 // how often it was asked for
	Parsed atomic.Int64 // sentences
	hook   atomic.Pointer[func(s *syntax.Sentence)]

	Customized atomic.Int64 // how often With was called
	said       *model.Lists // nil: nothing
	base       *Toy         // that With made this one of; nil: none
}

// With implements transforms.Stages: strings are kept together where white space
// is around them, a sentence does not end behind an abbreviation, exceptions are
// heeded, and the relation Free is used where trees are unconstrained. It is unkind:
// it panics if nothing is said, or a second time.
func (t *Toy) With(lists *model.Lists) (transforms.Stages, error) { return t.with(lists) }

func (t *Toy) with(lists *model.Lists) (*Toy, error) {
	if lists.Empty() || t.base != nil {
		panic("stages are customized without a reason, or twice")
	}
	t.Customized.Add(1)
	if _, err := lists.Custom(); err != nil {
		return nil, err
	}
	return &Toy{said: lists, base: t}, nil
}

// Free is the relation of words in trees that are not constrained.
const Free = "free"

// lists are what was said to the toy.
func (t *Toy) lists() *model.Lists {
	if t.said == nil {
		return new(model.Lists)
	}
	return t.said
}

// exception returns what was said of a form.
func (t *Toy) exception(form string) (x tag.Exception, ok bool) {
	i := slices.IndexFunc(t.lists().Exceptions, func(x tag.Exception) bool { return x.Form == form })
	if i < 0 {
		return x, false
	}
	return t.said.Exceptions[i], true
}

// counted is the toy that counts.
func (t *Toy) counted() *Toy { return cmp.Or(t.base, t) }

// SetHook sets what Parse calls before it does anything; nil is nothing. What a
// run that has failed left behind may still be parsing meanwhile.
func (t *Toy) SetHook(f func(s *syntax.Sentence)) {
	if f == nil {
		t.hook.Store(nil)
		return
	}
	t.hook.Store(&f)
}

// Register makes ModelURI open a toy, and EncoderURI an Encoder of it, and
// returns the toy.
func Register() *Toy {
	t := new(Toy)
	e := &Encoder{Toy: t}
	transforms.RegisterModels("toy", func(uri string) (transforms.Stages, string, error) {
		t.Opened.Add(1)
		if uri == EncoderURI {
			return e, strings.Repeat("65", 32), nil
		}
		return t, strings.Repeat("70", 32), nil
	})
	return t
}

// Segment implements transforms.Stages.
func (t *Toy) Segment(block string, maxWords int) []syntax.Sentence {
	return segment(block, maxWords, ".?!", t.lists())
}

// SegmentFast implements transforms.Stages.
func (t *Toy) SegmentFast(block string, maxWords int) []syntax.Sentence {
	return t.Segment(block, maxWords)
}

// SegmentLine implements transforms.Stages.
func (t *Toy) SegmentLine(block string, maxWords int) []syntax.Sentence {
	return segment(block, maxWords, "", t.lists())
}

// token is how many bytes the token at the beginning of text has.
func token(text string, said *model.Lists) int {
	n := strings.IndexFunc(text, unicode.IsSpace)
	if n < 0 {
		n = len(text)
	}
	for _, s := range said.KeepTogether {
		rest, ok := strings.CutPrefix(text, s)
		if r, _ := utf8.DecodeRuneInString(rest); ok && len(s) > n && (rest == "" || unicode.IsSpace(r)) {
			n = len(s)
		}
	}
	return n
}

// segment ends sentences after words that end in one of terminals.
func segment(block string, maxWords int, terminals string, said *model.Lists) []syntax.Sentence {
	var list []syntax.Sentence
	var words []syntax.Word
	begin, chars := 0, int32(0)
	end := func(at int, status syntax.Status) {
		list = append(list, syntax.Sentence{
			Text:  strings.Map(lineToSpace, block[begin:at]),
			Words: words, StartByte: int64(begin), EndByte: int64(at), Status: status,
		})
		words = nil
	}
	for at := 0; at < len(block); {
		r, size := utf8.DecodeRuneInString(block[at:])
		if unicode.IsSpace(r) {
			at += size
			chars++
			continue
		}
		if len(words) == 0 {
			begin, chars = at, 0
		}
		n := token(block[at:], said)
		form := block[at : at+n]
		crash(form == PanicSegment, form)
		length := int32(utf8.RuneCountInString(form))
		words = append(words, syntax.Word{Form: form, Head: syntax.NoHead, StartChar: chars, EndChar: chars + length})
		chars += length
		at += n
		switch {
		case slices.Contains(said.Abbreviations, form):
		case strings.ContainsAny(form[len(form)-1:], terminals):
			end(at, syntax.OK)
		case len(words) == maxWords:
			end(at, syntax.Long)
		}
	}
	if len(words) > 0 {
		end(begin+len(strings.TrimRightFunc(block[begin:], unicode.IsSpace)), syntax.OK)
	}
	return list
}

func lineToSpace(r rune) rune {
	if r == '\n' || r == '\r' {
		return ' '
	}
	return r
}

func crash(when bool, form string) {
	if when {
		panic("planted: " + form)
	}
}

// Tag implements transforms.Stages.
func (t *Toy) Tag(s *syntax.Sentence, retag bool) {
	for i := range s.Words {
		w := &s.Words[i]
		crash(w.Form == PanicTag, w.Form)
		x, _ := t.exception(w.Form)
		if w.UPOS == "" || retag {
			w.UPOS = cmp.Or(x.UPOS, []string{"NOUN", "VERB", "ADJ"}[hash(w.Form)%3])
		}
		if w.Lemma == "" || retag {
			w.Lemma = cmp.Or(x.Lemma, strings.ToLower(w.Form))
		}
		if r, _ := utf8.DecodeRuneInString(w.Form); unicode.IsLetter(r) {
			s.Lexical++
			if r >= utf8.RuneSelf {
				s.Unknown++
			}
		}
	}
}

// TrainedOn implements transforms.Stages.
func (t *Toy) TrainedOn() string { return "toy (ASCII)" }

// Prune implements transforms.Stages.
func (t *Toy) Prune(s *syntax.Sentence) {
	s.Candidates.Start = make([]int32, 1, len(s.Words)+1)
	for i := range s.Words {
		crash(s.Words[i].Form == PanicPrune, PanicPrune)
		s.Candidates.Heads = append(s.Candidates.Heads, int32(i))
		s.Candidates.LogOdds = append(s.Candidates.LogOdds, 0)
		s.Candidates.Start = append(s.Candidates.Start, int32(i+1))
	}
}

// Parse implements transforms.Stages.
func (t *Toy) Parse(s *syntax.Sentence, o output.ParseOptions) error {
	if hook := t.counted().hook.Load(); hook != nil {
		(*hook)(s)
	}
	t.counted().Parsed.Add(1)
	n := len(s.Words)
	c := &s.Confidence
	c.HeadMarginal, c.HeadMargin = make([]float32, n), make([]float32, n)
	c.LabelProb = make([]float32, n)
	for i := range s.Words {
		w := &s.Words[i]
		crash(w.Form == PanicParse, w.Form)
		w.Head, w.Deprel = s.Candidates.Of(i + 1)[0], "dep"
		if t.lists().Unconstrained {
			w.Deprel = Free
		}
		if w.Head == syntax.Root {
			w.Deprel = "root"
		}
		if w.Form == Headless {
			w.Head = int32(i + 1)
		}
		c.HeadMarginal[i] = float32(hash(w.Form)%4097) / 4096
		c.LabelProb[i] = 0.5
	}
	c.Restarts, c.NCandidates, c.Weighed = 1, int32(n), int64(n)*3
	calibrate(s)
	return nil
}

// calibrate sets what a calibrator would, by the forms. Sentences of 5, 10, ...
// words have none of it.
func calibrate(s *syntax.Sentence) {
	if len(s.Words)%5 == 0 {
		return
	}
	const unit = 4096
	n, c := len(s.Words), &s.Confidence
	c.HeadConf, c.DeprelConf, c.UPOSConf = make([]float32, n), make([]float32, n), make([]float32, n)
	c.Certificate = syntax.Certificate(hash(s.Words[0].Form) % 3)
	c.TreeConf, c.HasTreeConf = 0.5, true
	e := &c.Expected
	e.Words = int64(n)
	for i := range s.Words {
		h := hash(s.Words[i].Form)
		for _, p := range []struct {
			of   []float32
			sum  *syntax.Estimate
			conf uint32
		}{{c.UPOSConf, &e.UPOS, h % (unit + 1)}, {c.HeadConf, &e.UAS, h / 3 % (unit + 1)}, {c.DeprelConf, &e.LAS, h / 3 % (unit + 1) / 2}} {
			p.of[i] = float32(p.conf) / unit
			p.sum.Right += int64(p.conf)
			p.sum.Variance += int64(p.conf) * (unit - int64(p.conf)) / unit
		}
	}
}

func hash(s string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(s))
	return h.Sum32()
}

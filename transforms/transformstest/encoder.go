package transformstest

import (
	"cmp"
	"strings"
	"sync/atomic"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/transforms"
)

// EncoderURI opens a toy with an encoder once Register was called.
const EncoderURI = "toy:encoder"

// PanicEncode is a word that makes the encoder panic.
const PanicEncode = "PANICENCODE"

// An Encoder is a toy that tags all words of an encoded sentence INTJ and attaches
// them to the first one. It panics if a sentence is encoded twice, or has the scores
// of another one. Without its scores, its confidence in a sentence depends on the
// first word (Sure).
type Encoder struct {
	*Toy
	Encoded atomic.Int64 // words
	base    *Encoder     // that With made this one of; nil: none
}

// With implements transforms.Stages.
func (e *Encoder) With(lists *model.Lists) (transforms.Stages, error) {
	t, err := e.Toy.with(lists)
	return &Encoder{Toy: t, base: e}, err
}

// Sure is the toy's confidence in a sentence that begins with form, from 0 to 1.
func Sure(form string) float32 { return float32(hash(form)%4097) / 4096 }

// Encodes implements transforms.Stages.
func (e *Encoder) Encodes() bool { return true }

// CanChoose implements transforms.Stages.
func (e *Encoder) CanChoose() bool { return true }

// Encode implements transforms.Stages.
func (e *Encoder) Encode(sents []*syntax.Sentence) {
	for _, s := range sents {
		if s.Dense.Arcs != nil {
			panic("a sentence that has dense scores is encoded again")
		}
		s.Dense.Arcs = []int32{int32(fingerprint(s))}
		for i := range s.Words {
			crash(s.Words[i].Form == PanicEncode, PanicEncode)
		}
		cmp.Or(e.base, e).Encoded.Add(int64(len(s.Words)))
	}
}

func fingerprint(s *syntax.Sentence) uint32 {
	var b strings.Builder
	for i := range s.Words {
		b.WriteString(s.Words[i].Form + " ")
	}
	return hash(b.String())
}

// encoded reports whether s is, and panics if with the scores of another.
func encoded(s *syntax.Sentence) bool {
	if s.Dense.Arcs == nil {
		return false
	}
	crash(s.Dense.Arcs[0] != int32(fingerprint(s)), "the dense scores are those of another sentence")
	return true
}

// Tag implements transforms.Stages.
func (e *Encoder) Tag(s *syntax.Sentence, retag bool) {
	was := syntax.Clone([]syntax.Sentence{*s})[0]
	e.Toy.Tag(s, retag)
	for i := range s.Words {
		if x, _ := e.exception(s.Words[i].Form); x.UPOS == "" && encoded(s) && (retag || was.Words[i].UPOS == "") {
			s.Words[i].UPOS = "INTJ"
		}
	}
}

// Prune implements transforms.Stages.
func (e *Encoder) Prune(s *syntax.Sentence) {
	e.Toy.Prune(s)
	for i := range s.Candidates.Heads {
		if encoded(s) && i > 0 {
			s.Candidates.Heads[i] = 1
		}
	}
}

// Parse implements transforms.Stages.
func (e *Encoder) Parse(s *syntax.Sentence, o output.ParseOptions) error {
	if err := e.Toy.Parse(s, o); err != nil {
		return err
	}
	e.Calibrate(s, nil, nil)
	return nil
}

// Calibrate implements transforms.Stages.
func (e *Encoder) Calibrate(s *syntax.Sentence, _, _ []bool) {
	p := float32(0.5)
	if !encoded(s) && len(s.Words) > 0 {
		p = Sure(s.Words[0].Form)
	}
	s.Confidence.HeadConf, s.Confidence.DeprelConf = make([]float32, len(s.Words)), make([]float32, len(s.Words))
	for i := range s.Words {
		s.Confidence.HeadConf[i], s.Confidence.DeprelConf[i] = 1, p
	}
	s.Confidence.Expected = syntax.Expected{} // it is of other probabilities
}

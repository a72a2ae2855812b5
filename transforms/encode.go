package transforms

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/syntax"
)

func init() {
	beam.RegisterDoFn(reflect.TypeFor[encodeFn]())
}

// An Encoder is a Stages that may have an encoder: dense scores make Tag, Prune
// and Parse more accurate, and cost most of the time.
type Encoder interface {
	// Encodes reports whether there is one.
	Encodes() bool
	// CanChoose reports whether parses without the encoder are calibrated, so
	// that it may be left to sentences that need it.
	CanChoose() bool
	// Encode sets Dense of sentences, each as if it were alone, or leaves it
	// empty.
	Encode(sents []*syntax.Sentence)
}

// Encode does all of Tag, Prune and Parse for a model with an encoder, and
// nothing for others. Dense scores are large, so they live as long as the few
// sentences that are encoded together are parsed: no chunk ever holds any.
//
// With an effort below 1, a sentence is parsed without the encoder first, and
// keeps that tree if its expected LAS is at least the effort (model.Sure).
//
// PCollection<Chunk> -> PCollection<Chunk>
func Encode(s beam.Scope, job Job, chunks beam.PCollection) beam.PCollection {
	return beam.ParDo(s.Scope("Encode"), &encodeFn{Job: job}, chunks)
}

type encodeFn struct {
	Job    Job
	stages Stages
}

func (f *encodeFn) Setup() (err error) {
	f.stages, err = f.Job.open()
	return err
}

func (f *encodeFn) ProcessElement(_ context.Context, c Chunk, emit func(Chunk)) error {
	emit(EncodeChunk(c, f.stages, f.Job.Options))
	return nil
}

// ParseEffort returns the effort that an option says, 1 if it is "".
func ParseEffort(option string) (float64, error) {
	if option == "" {
		return 1, nil
	}
	p, err := strconv.ParseFloat(option, 64)
	if err != nil || !(p >= 0 && p <= 1) {
		return 0, fmt.Errorf("--effort %s: must be a number from 0, without the encoder, to 1, with it for every sentence", option)
	}
	return p, nil
}

// CheckEffort says why a model cannot do what the options ask of its encoder.
func CheckEffort(m Stages, o *RowOptions) error {
	p, err := ParseEffort(o.Effort)
	if err != nil || o.Effort == "" {
		return err
	}
	x, ok := m.(Encoder)
	switch choose := p > 0 && p < 1; {
	case !ok || !x.Encodes():
		return fmt.Errorf("--effort %s: the model has no encoder; give --accurate, or name a model that has one with --model", o.Effort)
	case choose && !x.CanChoose():
		return fmt.Errorf("--effort %s: the model cannot tell which sentences need its encoder, for parses without it are not calibrated; give 0 or 1, or treebeam calibrate", o.Effort)
	case choose && o.StopAfter != "":
		return fmt.Errorf("--effort %s with --stop-after %s: only a tree says how sure a sentence is; give 0 or 1", o.Effort, o.StopAfter)
	}
	return nil
}

// encoder returns the encoder of m that o asks for, and the effort; nil if there
// is none.
func encoder(m Stages, o *RowOptions) (Encoder, float64) {
	p, err := ParseEffort(o.Effort)
	if x, ok := m.(Encoder); ok && err == nil && p > 0 && x.Encodes() {
		return x, p
	}
	return nil, 0
}

// EncodeChunk is Encode on one chunk.
func EncodeChunk(c Chunk, m Stages, o RowOptions) Chunk {
	x, effort := encoder(m, &o)
	if x == nil {
		return c
	}
	e := encoding{encoder: x, stages: m, options: &o, sentences: c.Sentences, faults: make([]stageFault, len(c.Sentences))}
	sure := make([]bool, len(c.Sentences))
	if effort < 1 {
		each(len(c.Sentences), e.words, func(i int) { sure[i] = e.fast(i, effort) })
	}
	var unsure []int
	for i := range sure {
		if !sure[i] {
			unsure = append(unsure, i)
		}
	}
	groups := model.Groups(len(unsure), cap(*leaves.Load()), func(k int) int { return e.words(unsure[k]) })
	each(len(groups),
		func(g int) int { return len(groups[g]) * e.words(unsure[groups[g][0]]) },
		func(g int) {
			group := groups[g]
			for k := range group {
				group[k] = unsure[group[k]]
			}
			e.accurate(group)
		})
	c.keepStages(e.faults)
	return c
}

// An encoding is the work on one chunk.
type encoding struct {
	encoder   Encoder
	stages    Stages
	options   *RowOptions
	sentences []Sentence
	faults    []stageFault // by sentence
}

func (e *encoding) words(i int) int { return len(e.sentences[i].Words) }

// fast parses sentence i without the encoder, and keeps the result and reports
// true if that is sure enough. What goes wrong may go right with the encoder.
func (e *encoding) fast(i int, effort float64) bool {
	s := e.sentences[i].Sentence
	s.Words = slices.Clone(s.Words)
	if e.parse(&s).fault != noFault || !model.Sure(&s, effort) {
		return false
	}
	e.sentences[i].Sentence = s
	return true
}

// accurate encodes and parses a group of sentences.
func (e *encoding) accurate(group []int) {
	list := make([]*syntax.Sentence, len(group))
	for k, i := range group {
		list[k] = &e.sentences[i].Sentence
	}
	if guarded(func() { e.encoder.Encode(list) }) != noFault { // not the fault of all of them
		for k, i := range group {
			model.Forget(list[k])
			fault := guarded(func() { e.encoder.Encode(list[k : k+1]) })
			e.faults[i] = stageFault{stageEncode, fault}
		}
	}
	for k, i := range group {
		if e.faults[i].fault == noFault {
			e.faults[i] = e.parse(list[k])
		}
		model.Forget(list[k])
	}
}

// parse does what Tag, Prune and Parse do with a sentence, and says which of
// them failed.
func (e *encoding) parse(s *syntax.Sentence) stageFault {
	if fault := guarded(func() { tagSentence(s, e.stages, e.options) }); fault != noFault || e.options.StopAfter == StopTag {
		return stageFault{stageTag, fault}
	}
	if fault := guarded(func() { e.stages.Prune(s) }); fault != noFault {
		return stageFault{stagePrune, fault}
	}
	var refused syntax.Fault
	if fault := guarded(func() { refused = parseSentence(s, e.stages, e.options) }); fault != noFault {
		refused = fault
	}
	return stageFault{stageParse, refused}
}

// guarded calls body and returns the fault of its panic, if there is one.
func guarded(body func()) (fault syntax.Fault) {
	defer func() {
		if r := recover(); r != nil {
			fault = recovered(r)
		}
	}()
	body()
	return noFault
}

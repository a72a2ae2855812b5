package transforms

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Encode does the work of Tag, Prune and Parse for sentences whose model has an encoder or
// a small network, and leaves the others to these stages. Dense scores are large: they
// exist only while the few sentences that are encoded together are parsed, and never in
// a chunk.
//
// With an effort below 1, a sentence is first parsed without the encoder, and keeps that
// tree if its expected LAS is at least the effort.
//
// PCollection<Chunk> -> PCollection<Chunk>
func Encode(s beam.Scope, chunks beam.PCollection, o Options) beam.PCollection {
	return perChunk(s, "Encode", o, chunks)
}

// ParseEffort returns the effort that an option states, 1 if it is "".
func ParseEffort(option string) (float64, error) {
	if option == "" {
		return 1, nil
	}
	p, err := strconv.ParseFloat(option, 64)
	if err != nil || !(p >= 0 && p <= 1) {
		return 0, wrong("effort", option, errors.New("must be a number from 0, without the encoder, to 1, with it for every sentence"))
	}
	return p, nil
}

// CheckEffort says why a model cannot do what the options ask of its encoder.
func CheckEffort(m Stages, o *output.RowOptions) error {
	p, err := ParseEffort(o.Effort)
	if err != nil || o.Effort == "" {
		return err
	}
	switch choose := p > 0 && p < 1; {
	case !m.Encodes():
		return wrong("effort", o.Effort, errors.New("the model has no encoder; leave it out, or parse with a model that has one, such as the accurate English model"))
	case choose && !m.CanChoose():
		return wrong("effort", o.Effort, errors.New("the model cannot tell which sentences need its encoder, for parses without it are not calibrated; give 0 or 1, or treebeam calibrate"))
	case choose && o.StopAfter != "":
		return fmt.Errorf("--effort %s with --stop-after %s: only a tree says how sure a sentence is; give 0 or 1", o.Effort, o.StopAfter)
	}
	return nil
}

// effort is the effort that o asks for, 0 if m has no encoder. Languages of a World use
// their encoder for every sentence.
func effort(m Stages, o *output.RowOptions) float64 {
	p, err := ParseEffort(o.Effort)
	_, world := m.(ofWorld)
	switch {
	case err != nil || !m.Encodes():
		return 0
	case world:
		return 1
	}
	return p
}

// scores reports whether the stages of m add dense scores to what they score.
func scores(m Stages, o *output.RowOptions) bool {
	x, ok := m.(trained)
	return effort(m, o) > 0 || ok && x.Network != nil
}

// EncodeChunk is Encode on one chunk. It also returns the number of words of the
// sentences that were encoded.
func EncodeChunk(c Chunk, m Stages, o output.RowOptions) (_ Chunk, encoded int) {
	byLeast := map[float64][]int{}
	for i := range c.Sentences {
		if of := stagesOf(m, c.Sentences[i].Language); scores(of, &o) {
			least := effort(of, &o)
			byLeast[least] = append(byLeast[least], i)
		}
	}
	if len(byLeast) == 0 {
		return c, 0
	}
	c.own()
	all := make([]stageFault, len(c.Sentences))
	for least, places := range byLeast { // in any order
		faults := make([]stageFault, len(places))
		list := make([]*syntax.Sentence, len(places))
		for k, i := range places {
			list[k] = &c.Sentences[i].Sentence
		}
		e := model.Effort{
			Least: least, Workers: Cores(),
			Encode: func(which []int, sents []*syntax.Sentence) {
				for k, fault := range encodeGuarded(stagesOf(m, sents[0].Language), sents) {
					faults[which[k]] = stageFault{stageEncode, fault}
				}
			},
			Parse: func(i int, s *syntax.Sentence) bool {
				if f := &faults[i]; f.stage != stageEncode || f.fault == noFault {
					*f = parseWhole(s, stagesOf(m, s.Language), &o)
				}
				return faults[i].fault == noFault
			},
			Each: func(n int, weight func(i int) int, body func(i int)) { each(n, weight, body) },
		}
		encoded += e.Run(list)
		for k, i := range places {
			all[i] = faults[k]
		}
	}
	c.keep(all)
	return c, encoded
}

// encodeGuarded encodes sentences and returns the faults of the sentences that cannot
// be encoded.
func encodeGuarded(m Stages, sents []*syntax.Sentence) []syntax.Fault {
	faults := make([]syntax.Fault, len(sents))
	if guarded(func() { m.Encode(sents) }) != noFault { // the fault of one sentence does not affect the others
		for k, s := range sents {
			s.Dense = syntax.Dense{}
			faults[k] = guarded(func() { m.Encode(sents[k : k+1]) })
		}
	}
	return faults
}

// parseWhole does what Tag, Prune and Parse do with a sentence, and says which of
// them failed, if one has.
func parseWhole(s *syntax.Sentence, m Stages, o *output.RowOptions) stageFault {
	if fault := guarded(func() { tagSentence(s, m, o) }); fault != noFault || o.StopAfter == output.StopTag {
		s.ForgetNetwork()
		return stageFault{stageTag, fault}
	}
	if fault := guarded(func() { m.Prune(s) }); fault != noFault {
		return stageFault{stagePrune, fault}
	}
	var refused syntax.Fault
	if fault := guarded(func() { refused = parseSentence(s, m, o) }); fault != noFault {
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

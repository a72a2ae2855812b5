package transforms

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/tag"
)

func init() {
	beam.RegisterDoFn(reflect.TypeFor[askFn]())
	beam.RegisterDoFn(reflect.TypeFor[evidenceFn]())
	beam.RegisterDoFn(reflect.TypeFor[decideFn]())
	beam.RegisterDoFn(reflect.TypeFor[noneFn]())
	beam.RegisterDoFn(reflect.TypeFor[placeFn]())
	beam.RegisterType(reflect.TypeFor[sumEvidenceFn]())
	beam.RegisterCoder(reflect.TypeFor[tag.Evidence](), encodeEvidence, decodeEvidence)
	registerGob[output.Revision]()
	beam.RegisterCoder(reflect.TypeFor[output.Revision](), gobEncode[output.Revision], gobDecode[output.Revision])
}

// A Reviser is a Stages whose tags of unknown forms can be revised by what all of a
// text says of them.
type Reviser interface {
	// Kinds returns the UPOS that evidence and revisions have a number for, in order.
	Kinds() []string
	// TagAndTell is Tag that also tells what each word says that training has not.
	// loss is valid until tell returns.
	TagAndTell(s *syntax.Sentence, retag bool, tell func(form string, loss []int64))
	// Revised returns stages that do what these do, with revisions.
	Revised(v *tag.Revisions) Stages
}

// CheckRevise says why a model cannot do what the options ask.
func CheckRevise(m Stages, o *output.RowOptions) error {
	if !o.ReviseUnknown {
		return nil
	}
	if _, ok := m.(Reviser); !ok {
		return errors.New("--revise-unknown: the model cannot revise tags; leave it out")
	}
	if x, _ := encoder(m, o); x != nil { // measured: it spoils as many tags as it mends
		return errors.New("--revise-unknown is for parses without an encoder, which knows unknown words better: leave it out, or add --effort 0")
	}
	return nil
}

// Revise is a first pass over the ranges of the plan. It sums, by form, what the
// occurrences of forms that training has not say of their UPOS, in integers, and
// puts the revisions that follow into the output folder, where the stages of the
// second pass find them. What it gives is one element, when they are there. If they
// are already, nothing is read.
//
// -> PCollection<[]byte>
func Revise(s beam.Scope, job Job) beam.PCollection {
	s = s.Scope("Revise")
	start := beam.Impulse(s)
	ranges := beam.Reshuffle(s, beam.ParDo(s, &askFn{Job: job}, start))
	chunks := beam.ParDo(s.Scope("Read"), &readFn{Job: job, Quietly: true}, ranges)
	found := beam.ParDo(s, &evidenceFn{Job: job}, Segment(s, job, chunks))
	sums := beam.CombinePerKey(s, &sumEvidenceFn{}, found)
	revisions := beam.ParDo(s, &decideFn{}, sums)
	// An empty group would be none, and the second pass would wait for ever.
	none := beam.ParDo(s, &noneFn{}, start)
	all := beam.AddFixedKey(s, beam.Flatten(s, revisions, none))
	return beam.ParDo(s.Scope("Place"), &placeFn{Job: job}, beam.GroupByKey(s, all))
}

// askFn gives the ranges of the plan, none if the revisions are there.
type askFn struct{ Job Job }

func (f *askFn) ProcessElement(ctx context.Context, _ []byte, emit func(source.Range)) error {
	if err := f.Job.CheckToken(); err != nil {
		return marked(err)
	}
	if _, found, err := output.ReadRevisions(ctx, f.Job.Output, f.Job.FP); found || err != nil {
		return marked(err)
	}
	for r, err := range source.PlanRanges(ctx, f.Job.PlanPath()) {
		if err != nil {
			return marked(err)
		}
		emit(r)
	}
	return nil
}

// evidenceFn tags the sentences of chunks, and gives what each chunk says by form.
type evidenceFn struct {
	Job    Job
	stages Stages
}

func (f *evidenceFn) Setup() (err error) {
	f.stages, err = f.Job.open()
	return err
}

func (f *evidenceFn) ProcessElement(_ context.Context, c Chunk, emit func(string, tag.Evidence)) error {
	m, ok := f.stages.(Reviser)
	if !ok {
		return marked(CheckRevise(f.stages, &f.Job.Options))
	}
	for form, e := range ChunkEvidence(c, m, f.Job.Options) {
		emit(form, e)
	}
	return nil
}

// ChunkEvidence tags a segmented chunk and returns what it says
// by form, in order. A sentence in which the tagger panics says nothing: it fails in
// the second pass.
func ChunkEvidence(c Chunk, m Reviser, o output.RowOptions) iter.Seq2[string, tag.Evidence] {
	var mu sync.Mutex
	all := map[string]tag.Evidence{}
	each(len(c.Sentences),
		func(i int) int { return len(c.Sentences[i].Words) },
		func(i int) {
			s := &c.Sentences[i].Sentence
			if !needsTags(s, &o) {
				return
			}
			said := map[string]tag.Evidence{}
			m.TagAndTell(s, o.Retag, func(form string, loss []int64) {
				said[form] = said[form].Plus(tag.Evidence{Count: 1, Loss: loss})
			})
			mu.Lock()
			defer mu.Unlock()
			for form, e := range said { // sums: the order does not matter
				all[form] = all[form].Plus(e)
			}
		})
	return func(yield func(string, tag.Evidence) bool) {
		for _, form := range slices.Sorted(maps.Keys(all)) {
			if !yield(form, all[form]) {
				return
			}
		}
	}
}

// sumEvidenceFn adds evidence of a form.
type sumEvidenceFn struct{}

func (sumEvidenceFn) MergeAccumulators(a, b tag.Evidence) tag.Evidence { return a.Plus(b) }

// decideFn gives the revisions that can change a tag.
type decideFn struct{}

func (decideFn) ProcessElement(form string, e tag.Evidence, emit func(output.Revision)) {
	if add, some := e.Revision(); some {
		emit(output.Revision{Form: form, Count: e.Count, Add: add})
	}
}

// noneFn gives one revision of no form.
type noneFn struct{}

func (noneFn) ProcessElement(_ []byte, emit func(output.Revision)) { emit(output.Revision{}) }

// placeFn writes the revisions of the most frequent forms.
type placeFn struct{ Job Job }

func (f *placeFn) ProcessElement(ctx context.Context, _ int, next func(*output.Revision) bool, emit func([]byte)) error {
	_, found, err := output.ReadRevisions(ctx, f.Job.Output, f.Job.FP)
	if err != nil {
		return marked(err)
	}
	if !found { // else none was given
		stages, err := f.Job.open()
		if err != nil {
			return err
		}
		v := output.Revisions{Kinds: stages.(Reviser).Kinds(), Forms: mostFrequent(next, tag.MaxRevisions)}
		if err := v.Write(ctx, f.Job.Output, f.Job.FP); err != nil {
			return marked(fmt.Errorf("--revise-unknown: %w", err))
		}
	}
	emit([]byte{1})
	return nil
}

// mostFrequent returns the revisions of the most frequent forms, and of the first
// ones of those that are as frequent, sorted by form.
func mostFrequent(next func(*output.Revision) bool, most int) []output.Revision {
	var list []output.Revision
	cut := func() {
		slices.SortFunc(list, func(a, b output.Revision) int {
			return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Form, b.Form))
		})
		list = list[:min(len(list), most)]
	}
	for {
		var r output.Revision
		if !next(&r) {
			break
		}
		if r.Form == "" {
			continue
		}
		if list = append(list, r); len(list) >= 2*most {
			cut()
		}
	}
	cut()
	slices.SortFunc(list, func(a, b output.Revision) int { return strings.Compare(a.Form, b.Form) })
	return list
}

// A revisedKey is what revised stages depend on.
type revisedKey struct {
	stages     Stages
	output, fp string
}

// revised are the stages that this process has revised.
var revised = struct {
	sync.Mutex
	stages map[revisedKey]Stages
}{stages: map[revisedKey]Stages{}}

// revise returns m with the revisions of the job, if it has any. It is called when
// there is work, and not in Setup, for some engines set up the second pass before
// the first one has ended.
func (j *Job) revise(m Stages) (Stages, error) {
	if !j.Options.ReviseUnknown {
		return m, nil
	}
	key := revisedKey{m, j.Output, j.FP}
	revised.Lock()
	defer revised.Unlock()
	if made := revised.stages[key]; made != nil {
		return made, nil
	}
	r, ok := m.(Reviser)
	if !ok {
		return nil, marked(CheckRevise(m, &j.Options))
	}
	read, found, err := output.ReadRevisions(context.Background(), j.Output, j.FP)
	switch {
	case err != nil:
		return nil, marked(err)
	case !found:
		return nil, marked(errors.New("--revise-unknown: what the first pass has written is gone; start the run again"))
	case !slices.Equal(read.Kinds, r.Kinds()):
		return nil, marked(errors.New("--revise-unknown: the first pass had another model; start the run again with --overwrite"))
	}
	v := tag.NewRevisions(len(read.Kinds), len(read.Forms))
	for i := range read.Forms {
		v.Put(read.Forms[i].Form, read.Forms[i].Add)
	}
	if len(revised.stages) >= maxCustomized {
		clear(revised.stages)
	}
	made := r.Revised(v)
	revised.stages[key] = made
	return made, nil
}

// encodeEvidence writes evidence as varints.
func encodeEvidence(e tag.Evidence) ([]byte, error) {
	b := binary.AppendVarint(make([]byte, 0, 2+3*len(e.Loss)), e.Count)
	for _, x := range e.Loss {
		b = binary.AppendVarint(b, x)
	}
	return b, nil
}

func decodeEvidence(b []byte) (e tag.Evidence, err error) {
	r := bytes.NewReader(b)
	if e.Count, err = binary.ReadVarint(r); err != nil {
		return e, err
	}
	for r.Len() > 0 {
		x, err := binary.ReadVarint(r)
		if err != nil {
			return e, err
		}
		e.Loss = append(e.Loss, x)
	}
	return e, nil
}

package train

import (
	"fmt"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/eval"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/segment"
	"github.com/treebeam/treebeam/parser/syntax"
)

// mixGrid are the factors that are tried, in 1/model.MixOne.
var mixGrid = []int32{0, 4, 8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024}

// mixReach is how many values of the grid away from the best so far a better
// one is looked for: a figure of dev also rises and falls by chance.
const mixReach = 2

// FirstMix is where a fit begins: near the best mix for English and Turkish.
// The scores of tagger and parser are in units of the margin that they were
// trained for, which is worth more than a nat; pruner and labels are
// log-linear.
var FirstMix = model.Mix{Tags: 32, Feats: 24, Prune: 256, Parse: 64, Labels: 256}

// mixVersion is part of the key of the phase. Raise it when a fit finds other
// factors for the same input.
const mixVersion = "6"

// mixWords is the largest number of words of dev that the factors are fitted to,
// since all of their dense scores are in memory. The scores of tags take no more
// than mixBytes: 60,000 words with 2,200 tags and FEATS, or 2,000 words with
// 65,535.
const (
	mixWords = 60_000
	mixBytes = 512 << 20
)

// mixSize returns how many of the sentences the factors are fitted to, given the
// number of scores of tags and FEATS of each word.
func mixSize(dev []syntax.Sentence, scores int) int {
	most := min(mixWords, mixBytes/(4*max(scores, 1)))
	n, words := 0, 0
	for n < len(dev) && words+dev[n].Len() <= most {
		words += dev[n].Len()
		n++
	}
	return n
}

// fitMix returns the factors with which the model of the sections, which has an
// encoder, makes the fewest mistakes on dev: the factors of tags by UPOS and
// XPOS, then of FEATS, then of arcs and labels together by LAS. The encoder reads
// dev once. The fit climbs on a grid, one factor after the other; a tie leaves
// the factor as it is. At last, factors rise by up to mixReach values of the grid if that makes hardly more
// mistakes: the more dense scores count, the fewer features are looked up. The pruner's factor falls
// instead: what it cuts, confidence does not see.
func fitMix(info model.Info, sections []pack.Section, dev []syntax.Sentence, j job) (model.Mix, error) {
	first := FirstMix
	m, err := model.New(&model.File{Info: info, Sections: slices.Concat(sections, packedAs(model.MixName, &first))})
	if err != nil {
		return model.Mix{}, err
	}
	return mixOf([]eval.Bank{{Name: "dev", Model: m, Gold: dev}}, j)
}

// FitMix returns the factors with which models that share an encoder make the fewest
// mistakes on their dev, as a training fits them. The models are not changed. They must have
// the factors FirstMix: with a factor of 0, an encoder does not give these scores. FitMix runs
// workers goroutines; log may be nil.
func FitMix(banks []eval.Bank, workers int, log func(format string, a ...any)) (model.Mix, error) {
	if log == nil {
		log = func(string, ...any) {}
	}
	return mixOf(banks, job{Options: Options{Workers: workers, Log: log}})
}

// mixOf is fitMix for open models, which get the same factors.
func mixOf(banks []eval.Bank, j job) (model.Mix, error) {
	f := newMixer(banks, j)
	tag := func(m *model.Model, s *syntax.Sentence) error { m.Tag(s, true); return nil }
	if banks[0].Model.Info.Options["gold-tags"] != "true" {
		f.climb(figure{"UPOS and XPOS", tag, func(g, w *syntax.Word) []bool { return []bool{g.UPOS == w.UPOS, g.XPOS == w.XPOS} }},
			factor{"tags", false, func(x *model.Mix) *int32 { return &x.Tags }})
		f.climb(figure{"FEATS", tag, func(g, w *syntax.Word) []bool { return []bool{g.Feats == w.Feats} }},
			factor{"feats", false, func(x *model.Mix) *int32 { return &x.Feats }})
		if f.each(f.mix, f.sents, tag); f.err != nil {
			return f.mix, f.err
		}
	}
	parse := func(m *model.Model, s *syntax.Sentence) error {
		m.Prune(s)
		return m.Parse(s, search.Options{Seed: eval.SearchSeed})
	}
	var devs []segment.Dev
	for _, b := range banks {
		devs = append(devs, b.Model.Dev(b.Gold))
	}
	portion, alone, best := segment.FitStarts(devs)
	j.Log("sentence F1 %.2f alone, %.2f with %+v of the network for sentence ends", 100*alone, 100*best, portion)
	if best >= alone+leastStarts {
		f.mix.Starts = portion
	}
	f.climb(figure{"LAS", parse, func(g, w *syntax.Word) []bool {
		return []bool{g.Head == w.Head && syntax.Universal(g.Deprel) == syntax.Universal(w.Deprel)}
	}},
		factor{"prune", true, func(x *model.Mix) *int32 { return &x.Prune }},
		factor{"parse", false, func(x *model.Mix) *int32 { return &x.Parse }},
		factor{"labels", false, func(x *model.Mix) *int32 { return &x.Labels }})
	return f.mix, f.err
}

// leastStarts is what the F1 of sentences must rise for the encoder to look for their ends,
// since it then reads some of the text twice.
const leastStarts = 0.003

// A figure is a measure by which factors are chosen: what to run on a sentence, and which
// words are then right.
type figure struct {
	name  string
	run   func(*model.Model, *syntax.Sentence) error
	right func(gold, word *syntax.Word) []bool
}

// A mixer tries factors on sentences whose dense scores are known.
type mixer struct {
	job
	models []*model.Model // of the sentences
	gold   []syntax.Sentence
	sents  []syntax.Sentence // encoded, without trees
	mix    model.Mix         // the best so far
	err    error             // the first
}

// A factor is one of a Mix.
type factor struct {
	name  string
	falls bool // not rises, where that makes no difference
	of    func(*model.Mix) *int32
}

// An accuracy counts what is right and what there is.
type accuracy struct{ right, all int }

func (t accuracy) percent() float64 { return 100 * float64(t.right) / float64(max(t.all, 1)) }

func newMixer(banks []eval.Bank, j job) *mixer {
	f := &mixer{job: j, mix: FirstMix}
	for _, b := range banks {
		m, n := b.Model, mixSize(b.Gold, len(banks)*(b.Model.Tagger.NumTags()+b.Model.Tagger.NumFeats()))
		if len(banks) > 1 {
			n = len(first(b.Gold[:n], mixWords/len(banks)))
		}
		list := syntax.Clone(b.Gold[:n])
		for i := range list {
			eval.Forget(&list[i], m.Info.Options["gold-tags"] != "true")
			f.models = append(f.models, m)
		}
		if err := encodeAll(m, list, j.Workers); err != nil && f.err == nil {
			f.err = err
		}
		f.gold, f.sents = append(f.gold, b.Gold[:n]...), append(f.sents, list...)
	}
	return f
}

// each runs the models with other factors on their sentences.
func (f *mixer) each(x model.Mix, sents []syntax.Sentence, run func(*model.Model, *syntax.Sentence) error) {
	err := eval.Each(len(sents), f.Workers, func(i int) error {
		m := *f.models[i]
		m.Mix = x
		return run(&m, &sents[i])
	})
	if err != nil && f.err == nil {
		f.err = err
	}
}

// encodeAll sets the dense scores of all sentences.
func encodeAll(m *model.Model, sents []syntax.Sentence, workers int) error {
	groups := model.Groups(len(sents), workers, func(i int) int { return sents[i].Len() })
	return eval.Each(len(groups), workers, func(g int) error {
		var list []*syntax.Sentence
		for _, i := range groups[g] {
			list = append(list, &sents[i])
		}
		m.Encode(list)
		return nil
	})
}

// Dense scores take time, so they must gain 1 in worthwhile, 0.05 points. Factors rise or fall at
// last if that costs no more than 1 in negligible, 0.02 points.
const (
	worthwhile = 2000
	negligible = 5000
)

// climb moves factors, one after the other, to the values with the most right
// by the figure among the next ones of the grid, until none moves. It begins at
// factors of 0 if these are better than f.mix, and ends there if the gain is not worthwhile. Otherwise
// it raises the factors at last, or lowers those that fall, if the cost is negligible.
func (f *mixer) climb(by figure, factors ...factor) {
	const rounds = 20 // more than it takes
	tried := map[model.Mix]accuracy{}
	try := func(x model.Mix) accuracy {
		t, ok := tried[x]
		if !ok && f.err == nil {
			t = f.count(x, by)
			tried[x] = t
			f.Log("%s %.2f with %s", by.name, t.percent(), text(factors, x))
		}
		return t
	}
	without := f.mix
	for _, k := range factors {
		*k.of(&without) = 0
	}
	best := try(f.mix).right
	if right := try(without).right; right > best {
		best, f.mix = right, without
	}
	for range rounds {
		before := f.mix
		for _, k := range factors {
			at := slices.Index(mixGrid, *k.of(&f.mix))
			for _, v := range mixGrid[max(at-mixReach, 0):min(at+mixReach+1, len(mixGrid))] {
				x := f.mix
				*k.of(&x) = v
				if right := try(x).right; right > best {
					best, f.mix = right, x
				}
			}
		}
		if f.mix == before {
			break
		}
	}
	if t := try(without); (best-t.right)*worthwhile < t.all {
		f.mix = without
	}
	for _, k := range factors {
		at := slices.Index(mixGrid, *k.of(&f.mix))
		if at == 0 {
			continue
		}
		values := mixGrid[at+1 : min(at+mixReach+1, len(mixGrid))]
		if k.falls {
			values = slices.Clone(mixGrid[max(1, at-mixReach):at])
			slices.Reverse(values)
		}
		for _, v := range values {
			x := f.mix
			*k.of(&x) = v
			if t := try(x); t.right >= best-t.all/negligible {
				f.mix = x
			}
		}
	}
	f.Log("%s %.2f with %s, chosen", by.name, tried[f.mix].percent(), text(factors, f.mix))
}

// text names the factors of a trial.
func text(factors []factor, x model.Mix) string {
	var parts []string
	for _, k := range factors {
		parts = append(parts, fmt.Sprintf("%s %.2f", k.name, float64(*k.of(&x))/model.MixOne))
	}
	return strings.Join(parts, ", ")
}

// count counts what is right with other factors, in copies of the sentences.
func (f *mixer) count(x model.Mix, by figure) (t accuracy) {
	work := syntax.Clone(f.sents)
	f.each(x, work, by.run)
	for i := range work {
		for k := range work[i].Words {
			for _, right := range by.right(&f.gold[i].Words[k], &work[i].Words[k]) {
				t.all++
				if right {
					t.right++
				}
			}
		}
	}
	return t
}

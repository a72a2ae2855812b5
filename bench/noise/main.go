// Command noise measures feature noising as a regulariser of the log-linear stages: it
// trains one stage of a model again, without and with it, for several seeds, puts each in
// the place of the model's own, and parses the gold words of dev.
//
//	noise -model tr.tbm -train tr_imst-ud-train.conllu -dev tr_imst-ud-dev.conllu -stage labels -deltas 0,0.1,0.3
//
// Stages are tagger, pruner and labels. The tagger has variants of another kind: pa, the
// default, learns by margins and leaves out a tenth of the features at every visit; crf
// learns by log-likelihood; crf+dropout also leaves out a tenth; crf+DELTA has the
// regulariser.
package main

import (
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/eval"
	"github.com/treebeam/treebeam/parser/label"
	"github.com/treebeam/treebeam/parser/prune"
	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/tag"
	"github.com/treebeam/treebeam/parser/train"
)

// folds is how often the tagger is trained to tag the text that pruner and labels learn from.
const folds = 4

func main() {
	var b bench
	path := flag.String("model", "", "model `FILE` whose stage is replaced")
	trainPath := flag.String("train", "", "treebank that the model has learned from")
	devPath := flag.String("dev", "", "treebank to measure on")
	flag.StringVar(&b.stage, "stage", "labels", "tagger, pruner or labels")
	deltas := flag.String("deltas", "0,0.1,0.3,0.5", "probabilities of leaving out a feature; 0 is no regulariser")
	flag.IntVar(&b.seeds, "seeds", 3, "train with so many seeds")
	flag.Float64Var(&b.rate, "rate", 0, "AdaGrad's rate of the tagger's CRF")
	flag.Parse()
	if err := b.run(os.Stdout, *path, *trainPath, *devPath, *deltas); err != nil {
		fmt.Fprintln(os.Stderr, "noise:", err)
		os.Exit(1)
	}
}

type bench struct {
	stage      string
	seeds      int
	rate       float64
	model      *model.Model
	train, dev []syntax.Sentence
}

// A variant trains a stage with a seed and puts it into a copy of the model.
type variant struct {
	name string
	make func(m *model.Model, seed uint64) (note string, err error)
}

func (b *bench) run(w io.Writer, path, trainPath, devPath, deltas string) (err error) {
	if b.model, err = model.Open(path); err != nil {
		return err
	}
	if b.train, err = conllu.ReadAll(trainPath); err != nil {
		return err
	}
	if b.dev, err = conllu.ReadAll(devPath); err != nil {
		return err
	}
	list, err := b.variants(deltas)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "| %s | UPOS | UAS | LAS | sd of LAS | of the stage |\n|---|---|---|---|---|---|\n", b.stage)
	for _, v := range list {
		var upos, uas, las []float64
		var notes []string
		for seed := 1; seed <= b.seeds; seed++ {
			m := *b.model
			note, err := v.make(&m, uint64(seed))
			if err != nil {
				return fmt.Errorf("%s: %w", v.name, err)
			}
			system, err := train.Predict(&m, search.Options{Seed: train.SearchSeed}, b.dev, nil, train.GoldTokens, 0)
			if err != nil {
				return err
			}
			r, err := eval.Evaluate(b.dev, system)
			if err != nil {
				return err
			}
			upos = append(upos, 100*r.Scores[eval.UPOS].F1())
			uas, las = append(uas, 100*r.Scores[eval.UAS].F1()), append(las, 100*r.Scores[eval.LAS].F1())
			notes = append(notes, note)
		}
		_, sd := spread(las)
		u, _ := spread(upos)
		a, _ := spread(uas)
		l, _ := spread(las)
		fmt.Fprintf(w, "| %s | %.2f | %.2f | %.2f | %.2f | %s |\n", v.name, u, a, l, sd, strings.Join(notes, "; "))
	}
	return nil
}

// spread returns the mean and the standard deviation.
func spread(list []float64) (mean, sd float64) {
	for _, x := range list {
		mean += x / float64(len(list))
	}
	for _, x := range list {
		sd += (x - mean) * (x - mean)
	}
	return mean, math.Sqrt(sd / float64(max(len(list)-1, 1)))
}

// variants returns those of the stage.
func (b *bench) variants(deltas string) (list []variant, err error) {
	var numbers []float64
	for _, text := range strings.Split(deltas, ",") {
		delta, err := strconv.ParseFloat(text, 64)
		if err != nil || delta < 0 || delta >= 1 {
			return nil, fmt.Errorf("-deltas: %q is no number in [0, 1)", text)
		}
		numbers = append(numbers, delta)
	}
	if b.stage == "tagger" {
		list = append(list, b.tagger("pa", nil), b.tagger("crf+dropout", &tag.CRF{Rate: b.rate, Dropout: 0.1}))
		for _, delta := range numbers {
			list = append(list, b.tagger(fmt.Sprintf("crf+%g", delta), &tag.CRF{Rate: b.rate, Delta: delta}))
		}
		return list, nil
	}
	tagged, err := tag.Jackknife(b.train, folds, tag.Options{Seed: 1, Workers: 2})
	if err != nil {
		return nil, err
	}
	dev := syntax.Clone(b.dev)
	for i := range dev {
		b.model.Tag(&dev[i], true)
	}
	for _, delta := range numbers {
		v := variant{name: fmt.Sprintf("%g", delta)}
		switch b.stage {
		case "labels":
			v.make = func(m *model.Model, seed uint64) (note string, err error) {
				if m.Labeler, err = label.Train(m.Words, tagged, dev, label.Options{Seed: seed, Workers: 2, Delta: delta}); err != nil {
					return "", err
				}
				right, _, words := m.Labeler.Accuracy(dev)
				return fmt.Sprintf("%.2f on gold heads", 100*float64(right)/float64(words)), nil
			}
		case "pruner":
			v.make = func(m *model.Model, seed uint64) (note string, err error) {
				if m.Pruner, err = prune.Train(m.Words, tagged, dev, prune.Options{Seed: seed, Workers: 2, Delta: delta}); err != nil {
					return "", err
				}
				_, curve := m.Pruner.Curve(syntax.Clone(dev), []float64{m.Pruner.Cut()})
				r := curve[0]
				return fmt.Sprintf("%.2f %% of gold heads, %.2f heads a word", 100*r.Recall(), r.HeadsPerWord()), nil
			}
		default:
			return nil, fmt.Errorf("-stage %s: want tagger, pruner or labels", b.stage)
		}
		list = append(list, v)
	}
	return list, nil
}

// tagger is a variant that trains the tagger.
func (b *bench) tagger(name string, crf *tag.CRF) variant {
	return variant{name, func(m *model.Model, seed uint64) (note string, err error) {
		m.Tagger, err = tag.Train(b.train, nil, tag.Options{Seed: seed, Workers: 2, CRF: crf})
		if err != nil {
			return "", err
		}
		a := m.Tagger.Measure(b.dev)
		return fmt.Sprintf("%.2f UPOS, %.2f all tags", a.UPOS, a.All), nil
	}}
}

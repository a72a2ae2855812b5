package train

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/encode"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

// toyTreebank returns n right-branching sentences of our own, the third with
// two roots.
func toyTreebank(name string, n int) Treebank {
	t := Treebank{Name: name + ".conllu", File: name + ".conllu", SHA256: hashKey(name, fmt.Sprint(n))}
	line := int64(1)
	for i := range n {
		forms := strings.Fields(fmt.Sprintf("we saw %d red birds in %s", i, name))
		s := syntax.Sentence{ID: fmt.Sprint(name, i), Text: strings.Join(forms, " "), Line: line}
		s.Comments = []string{"# sent_id = " + s.ID, "# text = " + s.Text}
		for j, f := range forms {
			s.Words = append(s.Words, syntax.Word{Form: f, Lemma: f, UPOS: "X", XPOS: "x", Feats: "A=b", Head: int32(j), Deprel: "dep"})
		}
		s.Words[0].Deprel = "root"
		if i == 2 {
			s.Words[3].Head, s.Words[3].Deprel = 0, "root"
		}
		line += int64(len(s.Comments) + len(forms) + 1)
		t.Sentences = append(t.Sentences, s)
	}
	return t
}

// memory is a Store that can lose and damage entries.
type memory map[string][]byte

var memoryLock sync.Mutex

func (m memory) Load(name string) ([]byte, bool) {
	memoryLock.Lock()
	defer memoryLock.Unlock()
	data, ok := m[name]
	return bytes.Clone(data), ok
}

func (m memory) Save(name string, parts ...[]byte) error {
	memoryLock.Lock()
	defer memoryLock.Unlock()
	m[name] = bytes.Join(parts, nil)
	return nil
}

// stub is a component that remembers a hash of all it was trained on.
type stub struct{ sum string }

func (c stub) Pack(s *pack.Sub) {
	pack.Write(s, func(l *pack.Layout) { l.Strings("sum", &[]string{c.sum}) })
}

// sumOf returns the sum that a stub has packed.
func sumOf(v *pack.View, component string) (string, error) {
	list := []string{""}
	err := pack.Read(v, component, func(l *pack.Layout) { l.Strings("sum", &list) })
	return list[0], err
}

// rig is a set of stub components that record the phases they ran, and break
// off at one of them.
type rig struct {
	sync.Mutex
	ran    []string
	breaks string // phase, or "parser.2" for the parser's epoch 2
	seen   map[string][]syntax.Sentence
}

var errBroken = errors.New("interrupted")

// enter records a phase, or breaks off.
func (r *rig) enter(phase string, train []syntax.Sentence) error {
	r.Lock()
	defer r.Unlock()
	if r.breaks == phase {
		return errBroken
	}
	r.ran = append(r.ran, phase)
	r.seen[phase] = train
	return nil
}

// learnParser is a stub that keeps its epochs.
func (r *rig) learnParser(train, dev []syntax.Sentence, j job) (packer, error) {
	if err := r.enter("parser", train); err != nil {
		return nil, err
	}
	state, epoch := []string{hashKey(fmt.Sprint(j.Seed, train, dev))}, int32(0)
	layout := func(l *pack.Layout) {
		l.Strings("state", &state)
		pack.Value(l, "epoch", &epoch)
	}
	if j.resume != nil {
		if _, err := j.resume(layout); err != nil {
			return nil, err
		}
	}
	for epoch++; epoch <= 3; epoch++ {
		r.ran = append(r.ran, fmt.Sprint("parser.", epoch))
		if r.breaks == fmt.Sprint("parser.", epoch) {
			return nil, errBroken
		}
		state[0] = hashKey(state[0], fmt.Sprint(epoch))
		if j.checkpoint != nil {
			if err := j.checkpoint(int(epoch), layout); err != nil {
				return nil, err
			}
		}
	}
	return stub{state[0]}, nil
}

func (r *rig) stages() stages {
	r.seen = map[string][]syntax.Sentence{}
	learner := func(phase string) trainFunc {
		return func(train, dev []syntax.Sentence, j job) (packer, error) {
			if err := r.enter(phase, train); err != nil {
				return nil, err
			}
			j.Log("epoch 1 of 1")
			return stub{hashKey(phase, fmt.Sprint(j.Seed, train, dev))}, nil
		}
	}
	tag := func(sum string) stage {
		return func(s *syntax.Sentence) error {
			for i := range s.Words {
				s.Words[i].UPOS = "P" + sum[:1]
			}
			return nil
		}
	}
	prune := func(s *syntax.Sentence) error {
		s.Candidates = syntax.Candidates{Start: []int32{0}}
		for m := range s.Words {
			s.Candidates.Heads = append(s.Candidates.Heads, int32(m))
			s.Candidates.LogOdds = append(s.Candidates.LogOdds, 0)
			s.Candidates.Start = append(s.Candidates.Start, int32(m+1))
		}
		return nil
	}
	return stages{
		learn: map[string]trainFunc{
			"words": learner("words"), "segmenter": learner("segmenter"), "tagger": learner("tagger"),
			"pruner": learner("pruner"), "parser": r.learnParser, "labels": learner("labels"),
		},
		jackknifeTags: func(train []syntax.Sentence, _ job) ([]syntax.Sentence, error) {
			if err := r.enter("tags", train); err != nil {
				return nil, err
			}
			out := syntax.Clone(train)
			for i := range out {
				for j := range out[i].Words {
					out[i].Words[j].UPOS, out[i].Words[j].Head = fmt.Sprint("J", j%2), 0
				}
			}
			return out, nil
		},
		jackknifeCandidates: func(train []syntax.Sentence, _ *pack.View, _ job) error {
			for i := range train {
				prune(&train[i])
			}
			return r.enter("candidates", train)
		},
		openWords: func(v *pack.View) (*word.Vocabulary, error) {
			_, err := sumOf(v, "word")
			return new(word.Vocabulary), err
		},
		openTagger: func(v *pack.View, _ *word.Vocabulary) (stage, error) {
			sum, err := sumOf(v, "tag")
			if err != nil {
				return nil, err
			}
			return tag(sum), nil
		},
		openPruner: func(*pack.View, *word.Vocabulary) (stage, error) { return prune, nil },
		tune:       r.tune,
		quantise: func(p *encode.Params, h *encode.Heads) (packer, error) {
			return stub{hashKey(fmt.Sprint(p.Word, p.Pieces.Pieces, p.Layers, *h))}, nil
		},
		fitMix: func(_ model.Info, sections []pack.Section, dev []syntax.Sentence, _ job) (model.Mix, error) {
			return model.Mix{Parse: int32(len(sections) + len(dev))}, r.enter("mix", dev)
		},
		evaluate: func(t *trainer, info *model.Info, sections []pack.Section, _ func(string, ...any)) ([]pack.Section, error) {
			info.Scores = []model.Score{{Setting: "gold-tokens", LAS: float64(len(sections) * len(t.dev.Sentences))}}
			return nil, nil
		},
	}
}

func trainToy(r *rig, o Options) ([]byte, error) {
	return run(toyTreebank("train", 12), toyTreebank("dev", 5), o, r.stages())
}

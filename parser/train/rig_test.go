package train

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"

	"github.com/treebeam/treebeam/parser/syntax"
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

// failing is a Store that breaks off when an entry is saved for the nth time.
type failing struct {
	memory
	name string
	nth  int
}

var errBroken = errors.New("interrupted")

func (f *failing) Save(name string, parts ...[]byte) error {
	if name == f.name {
		if f.nth--; f.nth <= 0 {
			return errBroken
		}
	}
	return f.memory.Save(name, parts...)
}

// A rig records what a training does.
type rig struct {
	sync.Mutex
	ran  []string                     // the phases that were not taken from a store
	seen map[string][]syntax.Sentence // what each component learned from
}

// watch returns the options of a training that the rig is to record.
func (r *rig) watch(o Options) Options {
	log := o.Log
	o.Log = func(format string, a ...any) {
		if phase, ok := strings.CutSuffix(fmt.Sprintf(format, a...), " starts"); ok {
			r.ran = append(r.ran, strings.TrimSpace(phase))
		}
		if log != nil {
			log(format, a...)
		}
	}
	return o
}

// run trains from two treebanks, in 2 folds if o does not say in how many.
func (r *rig) run(train, dev Treebank, o Options) ([]byte, error) {
	o.Folds = cmp.Or(o.Folds, 2)
	real := maps.Clone(components)
	defer maps.Copy(components, real)
	r.seen = map[string][]syntax.Sentence{}
	for phase, c := range real {
		components[phase] = component{c.name, func(b dataset, j job) (packer, error) {
			r.Lock()
			r.seen[phase] = b.train
			r.Unlock()
			return c.train(b, j)
		}}
	}
	return Run(train, dev, r.watch(o))
}

func trainToy(r *rig, o Options) ([]byte, error) {
	return r.run(toyTreebank("train", 12), toyTreebank("dev", 5), o)
}

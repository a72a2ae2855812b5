package train

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/pack"
)

// A Store keeps the results of finished phases under short names such as
// "tagger" and "parser.epoch". What it returns is checked, so it may lose or
// damage entries: the phase is then done again. It must be safe for concurrent
// use: phases that do not need each other run at the same time.
type Store interface {
	Load(name string) (data []byte, ok bool)
	// Save replaces an entry at once: a later Load returns all of it or all
	// of the one before.
	Save(name string, data []byte) error
}

// phaseVersions are part of the key of a phase's entry. Raise one when the
// code of the phase changes what it makes of the same input.
var phaseVersions = map[string]int{
	"segmenter": 1, "tagger": 2, "tags": 2, "pruner": 2, "candidates": 2, "parser": 3, "labels": 1,
}

// A result is what a finished phase made.
type result struct {
	key      string // hash of everything it depends on
	sections []pack.Section
}

// phase returns the result of a phase, from the store if an entry with its
// key is there, otherwise from work. Either way the sections are read back
// from their packed bytes.
func (t *trainer) phase(name string, keys []string, work func(phaseOptions) ([]pack.Section, error)) (*result, error) {
	key := hashKey(append([]string{name, fmt.Sprint("version ", phaseVersions[name])}, keys...)...)
	if sections, size, ok := t.load(name, key); ok {
		t.progress.skip(name, size)
		return &result{key, sections}, nil
	}
	c := t.progress.start(name)
	made, err := work(t.phaseOptions(c, key))
	if err != nil {
		return nil, fmt.Errorf("training the %s: %w", name, err)
	}
	data, err := encodeEntry(key, made)
	if err != nil {
		return nil, fmt.Errorf("packing the %s: %w", name, err)
	}
	if t.Store != nil {
		if err := t.Store.Save(name, data); err != nil {
			return nil, fmt.Errorf("keeping the %s for --resume: %w", name, err)
		}
	}
	file, err := model.Decode(data)
	if err != nil {
		return nil, fmt.Errorf("reading back the %s: %w", name, err)
	}
	c.finish(len(data))
	return &result{key, file.Sections}, nil
}

func encodeEntry(key string, sections []pack.Section) ([]byte, error) {
	return model.Encode(model.Info{Options: map[string]string{"key": key}}, sections)
}

// load returns an entry of the store if it is whole and has the key.
func (t *trainer) load(name, key string) (sections []pack.Section, size int, ok bool) {
	if t.Store == nil {
		return nil, 0, false
	}
	data, ok := t.Store.Load(name)
	if !ok {
		return nil, 0, false
	}
	file, err := model.Decode(data)
	if err != nil || file.Info.Options["key"] != key {
		return nil, 0, false
	}
	return file.Sections, len(data), true
}

// phaseOptions returns what a component of the phase is told. Its epochs are
// kept under "<phase>.epoch" with the key of the phase.
func (t *trainer) phaseOptions(c *clock, key string) phaseOptions {
	o := phaseOptions{
		Seed: t.Seed, Folds: t.Folds, Workers: t.Workers, Tensor: t.Tensor,
		Log: c.log, Blocks: t.Blocks,
		Families: t.Families, Delta: t.Delta, Strategy: t.Strategy,
	}
	if t.Store == nil || key == "" {
		return o
	}
	entry := c.phase + ".epoch"
	o.Checkpoint = func(epoch int, state []byte) error {
		data, err := encodeEntry(key, []pack.Section{{Name: "state", Kind: pack.Bytes, Data: state}})
		if err != nil {
			return err
		}
		return t.Store.Save(entry, data)
	}
	o.Resume = func() ([]byte, bool) {
		sections, _, ok := t.load(entry, key)
		if !ok || len(sections) != 1 {
			return nil, false
		}
		return sections[0].Data, true
	}
	return o
}

// hashKey returns a hash of a list of strings, in hexadecimal.
func hashKey(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d ", len(p))
		io.WriteString(h, p)
	}
	return hex.EncodeToString(h.Sum(nil))
}

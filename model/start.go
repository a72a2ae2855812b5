package model

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/treebeam/treebeam/parser/encode"
)

// A Start is the encoder of a language of a world, in floats, from which a training can
// go on. It has the provenance of the world, and what is made from it keeps the licence
// of the world.
type Start struct {
	Params *encode.Params
	Heads  *encode.Heads
	Model  string // names the language and its world by base name, as in "world:tr"
	Digest string // of the model of that language
}

// IsStart reports whether a URI can name a Start: a world, or a language in one.
func IsStart(uri string) bool {
	_, _, ok := languageOf(uri)
	return ok || uri == EmbeddedWorld || strings.HasSuffix(uri, ".tbm")
}

// OpenStart returns the encoder of a language in a world. The language is the one that
// the URI names, as in "world:de" and FILE#de, or else the one with the code, or
// Undetermined if the world does not know the code. The result belongs to the caller.
func OpenStart(uri, code string) (*Start, error) {
	world, named, ok := languageOf(uri)
	if !ok {
		world, named = uri, code
	}
	w, err := OpenWorld(world)
	if err != nil {
		return nil, err
	}
	if !ok && w.models[named] == nil {
		named = Undetermined
	}
	m, err := w.Language(named)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", uri, err)
	}
	shared, err := w.shared()
	if err != nil {
		return nil, err
	}
	if shared.encoder == nil {
		return nil, errors.New("its languages have no encoder")
	}
	s := &Start{Digest: m.Digest, Model: filepath.Base(world) + "#" + named}
	if world == EmbeddedWorld {
		s.Model = world + ":" + named
	}
	s.Params, s.Heads = shared.encoder.Floats()
	p := s.Params
	p.Alone(named)
	p.Source = fmt.Sprintf("%s, tuned on the treebanks of %s", p.Name, filepath.Base(world))
	p.Licence, p.Name = strings.ReplaceAll(w.Info.Licence, "; ", ", "), filepath.Base(world)
	p.Notice = strings.TrimRight(p.Notice, "\n") + "\nTuned on:"
	for _, l := range w.Languages() {
		for _, t := range l.Treebanks {
			p.Notice += fmt.Sprintf("\n%s (%s)", t.Name, t.Licence)
		}
	}
	return s, nil
}

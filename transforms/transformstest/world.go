package transformstest

import (
	"strings"
	"sync/atomic"
	"unicode"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/transforms"
)

// WorldURI opens a World once Register was called.
const WorldURI = "toy:world"

// A World is a toy that knows languages by their letters: "el" by Greek ones, "ru" by
// Cyrillic ones, which its encoder parses, "und" by Hebrew ones, and English by others. It
// is sure of texts of twelve letters or more. In other languages, it tags all words with
// the language.
type World struct {
	*Toy
	Asked        atomic.Int64 // how often a language was to be found
	Greek, Other *Toy
	Russian      *Encoder
}

func newWorld(t *Toy) *World {
	return &World{Toy: t, Greek: new(Toy), Other: new(Toy), Russian: &Encoder{Toy: new(Toy)}}
}

// Identify implements transforms.World.
func (w *World) Identify(text string) model.Guess {
	w.Asked.Add(1)
	letters, counts := 0, map[string]int{}
	for _, r := range text {
		if !unicode.IsLetter(r) {
			continue
		}
		letters++
		switch {
		case unicode.Is(unicode.Greek, r):
			counts["el"]++
		case unicode.Is(unicode.Cyrillic, r):
			counts["ru"]++
		case unicode.Is(unicode.Hebrew, r):
			counts[model.Undetermined]++
		default:
			counts[syntax.English]++
		}
	}
	g := model.Guess{Code: model.Undetermined}
	for _, code := range []string{syntax.English, "el", "ru", model.Undetermined} {
		if counts[code] > 2*letters/3 {
			g = model.Guess{Code: code, Conf: 1 - 1/float32(letters+1)}
		}
	}
	return g
}

// Known implements transforms.World.
func (w *World) Known() []model.Language {
	return []model.Language{{Code: "el", Name: "Greek"}, {Code: "ru", Name: "Russian"}}
}

// Digest implements transforms.World.
func (w *World) Digest() string { return strings.Repeat("77", 32) }

// Stages implements transforms.World.
func (w *World) Stages(code string) (transforms.Stages, error) {
	switch code {
	case "el":
		return tongue{w.Greek, code}, nil
	case "ru":
		return w.Russian, nil
	}
	return tongue{w.Other, code}, nil
}

// A tongue tags words with its code.
type tongue struct {
	*Toy
	code string
}

// With implements transforms.Stages.
func (t tongue) With(lists *model.Lists) (transforms.Stages, error) {
	made, err := t.Toy.with(lists)
	return tongue{made, t.code}, err
}

// Tag implements transforms.Stages.
func (t tongue) Tag(s *syntax.Sentence, retag bool) {
	t.Toy.Tag(s, retag)
	for i := range s.Words {
		s.Words[i].UPOS = strings.ToUpper(t.code)
	}
}

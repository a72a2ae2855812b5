package pipeline

import (
	"strings"
	"sync/atomic"
	"unicode"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/transforms"
	"github.com/treebeam/treebeam/transforms/transformstest"
)

// worldURI opens a world.
const worldURI = "world:"

func init() {
	w := &world{Toy: new(transformstest.Toy), Greek: new(transformstest.Toy), Other: new(transformstest.Toy),
		Russian: &transformstest.Encoder{Toy: new(transformstest.Toy)}}
	transforms.RegisterModels("world", func(string) (transforms.Stages, string, error) { return w, strings.Repeat("70", 32), nil })
}

// A world is a toy that knows languages by their letters: "el" by Greek ones, "ru" by
// Cyrillic ones, which its encoder parses, "und" by Hebrew ones, and English by others. It
// is sure of texts of twelve letters or more. In other languages, it tags all words with
// the language.
type world struct {
	*transformstest.Toy
	Asked        atomic.Int64 // how often a language was to be found
	Greek, Other *transformstest.Toy
	Russian      *transformstest.Encoder
}

// Identify implements transforms.World.
func (w *world) Identify(text string) model.Guess {
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
func (w *world) Known() []model.Language {
	return []model.Language{{Code: "el", Name: "Greek"}, {Code: "ru", Name: "Russian"}}
}

// Digest implements transforms.World.
func (w *world) Digest() string { return strings.Repeat("77", 32) }

// Stages implements transforms.World.
func (w *world) Stages(code string) (transforms.Stages, error) {
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
	*transformstest.Toy
	code string
}

// With implements transforms.Stages.
func (t tongue) With(lists *model.Lists) (transforms.Stages, error) {
	made, err := t.Toy.With(lists)
	if err != nil {
		return nil, err
	}
	return tongue{made.(*transformstest.Toy), t.code}, nil
}

// Tag implements transforms.Stages.
func (t tongue) Tag(s *syntax.Sentence, retag bool) {
	t.Toy.Tag(s, retag)
	for i := range s.Words {
		s.Words[i].UPOS = strings.ToUpper(t.code)
	}
}

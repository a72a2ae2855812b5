package modeltest

import (
	"strings"
	"sync"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/encode"
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/train"
)

// World returns the file of a world with a tiny encoder, for three invented languages,
// "xa", "xb" and "xc", and for model.Undetermined. It is trained once per process, in a
// second or two. Its parses are poor, but use every part of a real world.
var World = sync.OnceValues(func() ([]byte, error) {
	var list []train.Language
	for _, t := range tongues {
		list = append(list, train.Language{Code: t.code, Name: t.name,
			Sources: []model.Source{{Name: t.name + "-Toy", Licence: "CC0"}},
			Train:   t.treebank("train", 60), Dev: t.treebank("dev", 20)})
	}
	tuned, err := encode.Quantize(encode.Tiny(1, syntax.GoldRelations(list[0].Train.Sentences),
		encode.Classifier{Name: "feats:Number", Values: []string{"", "Plur", "Sing"}},
		encode.Classifier{Name: "upos", Values: []string{"ADJ", "DET", "NOUN", "PUNCT", "VERB"}}))
	if err != nil {
		return nil, err
	}
	return train.RunWorld(list, train.WorldOptions{
		Options: train.Options{Seed: 1, Folds: 2, Info: model.Info{Command: "a test", Licence: "CC0"}},
		Tuned:   tuned,
		About:   model.Encoded{Name: "tiny", Source: "a test", Licence: "MIT", Notice: "Copyright (c) nobody", File: "tiny.tbe", Layers: 2, Pieces: 30},
	})
})

// A tongue is an invented language. A sentence is a subject, a verb and an object, in an
// order of its own.
type tongue struct {
	code, name  string
	determiners []string
	nouns       []string // without the ending of the plural
	verbs       []string
	adjectives  []string
	plural      string
	verbLast    bool
}

var tongues = []tongue{
	{"xa", "Xalan", []string{"lo", "un"}, strings.Fields("gato casa perro libro mesa"), strings.Fields("come mira busca toma"),
		strings.Fields("rojo grande viejo"), "s", false},
	{"xb", "Xebnian", []string{"дел", "йон"}, strings.Fields("мост река снег лист окно"), strings.Fields("видит берёт ищет"),
		strings.Fields("белый старый"), "и", true},
	{"xc", "Xircish", []string{"the", "a"}, strings.Fields("wuk blim krot shpen drig"), strings.Fields("zubs glorps whemms"),
		strings.Fields("fwip thlug"), "ek", false},
}

// Text returns n sentences of an invented language as raw text.
func Text(code string, n int) string {
	var lines []string
	for _, t := range tongues {
		if t.code == code {
			for _, s := range t.treebank("text", n).Sentences {
				lines = append(lines, s.Text)
			}
		}
	}
	return strings.Join(lines, " ")
}

// treebank returns n sentences.
func (t tongue) treebank(name string, n int) train.Treebank {
	b := train.Treebank{Name: name, File: t.code + "-" + name + ".conllu", SHA256: t.code + name}
	r := hash.Rand(hash.String(t.code + name))
	for range n {
		b.Sentences = append(b.Sentences, t.sentence(&r))
	}
	b.Sentences[0].Comments = append([]string{"# newdoc"}, b.Sentences[0].Comments...)
	return b
}

// sentence draws a sentence.
func (t tongue) sentence(r *hash.Rand) syntax.Sentence {
	pick := func(list []string) string { return list[r.Below(uint32(len(list)))] }
	var s syntax.Sentence
	add := func(form, lemma, upos, feats, deprel string, head int) {
		s.Words = append(s.Words, syntax.Word{Form: form, Lemma: lemma, UPOS: upos, Feats: feats, Deprel: deprel, Head: int32(head)})
	}
	verb := 0 // place of the verb, filled in at the end
	noun := func(deprel string) {
		at, form, feats := len(s.Words)+2, pick(t.nouns), "Number=Sing"
		lemma := form
		if r.Below(2) == 1 {
			form, feats = form+t.plural, "Number=Plur"
		}
		adjective := r.Below(2) == 1
		if adjective {
			at++
		}
		d := pick(t.determiners)
		add(d, d, "DET", "", "det", at)
		if adjective {
			a := pick(t.adjectives)
			add(a, a, "ADJ", "", "amod", at)
		}
		add(form, lemma, "NOUN", feats, deprel, -1)
	}
	predicate := func() {
		v := pick(t.verbs)
		add(v, v, "VERB", "", "root", 0)
		verb = len(s.Words)
	}
	noun("nsubj")
	if !t.verbLast {
		predicate()
	}
	noun("obj")
	if t.verbLast {
		predicate()
	}
	add(".", ".", "PUNCT", "", "punct", -1)
	for i := range s.Words {
		if w := &s.Words[i]; w.Head < 0 {
			w.Head = int32(verb)
		}
	}
	var forms []string
	for i := range s.Words {
		forms = append(forms, s.Words[i].Form)
	}
	s.Words[len(s.Words)-2].Misc = "SpaceAfter=No"
	s.Text = strings.Replace(strings.Join(forms, " "), " .", ".", 1)
	s.Comments = []string{"# text = " + s.Text}
	return s
}

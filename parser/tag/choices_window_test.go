package tag

import (
	"fmt"
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/syntax"
)

// withAnew is chooser.with by tagging the FEATS of the whole sentence again.
func (x *chooser) withAnew(sc *scratch, i int, label uint16) syntax.Word {
	c, tags := x.s, slices.Clone(x.tags)
	c.Words, tags[i] = slices.Clone(x.s.Words), label
	c.Words[i].UPOS = x.m.upos[label]
	if c.Words[i].XPOS = x.m.xpos[label]; x.m.fine {
		c.Words[i].XPOS = ""
	}
	sc.text.read(&c, x.m.lex)
	x.m.morphWords(sc, &c, tags, true, true)
	return c.Words[i]
}

// randomForms returns a sentence of n forms, known ones and others.
func randomForms(r *hash.Rand, n int) syntax.Sentence {
	forms := []string{"the", "Some", "dog", "dogs", "walks", "walk", "paints", "paint", "visited", "bricks", "jumped", "xx", "kicks", "."}
	s := syntax.Sentence{Words: make([]syntax.Word, n)}
	for i := range s.Words {
		s.Words[i].Form = forms[r.Below(uint32(len(forms)))]
	}
	return s
}

// What is searched again for another tag is no other than what the whole sentence
// gives, also where neighbours weigh much, and equal scores are common.
func TestChoicesSearchAgainOnlyWhatChanges(t *testing.T) {
	r, changed := hash.Rand(5), 0
	for _, fine := range []bool{false, true} {
		m := trainToy(t)
		if m.fine = fine; fine {
			for i, f := range m.feats {
				m.fineXPOS[i] = "X" + f
			}
		}
		all := make([]uint16, len(m.feats)) // any FEATS with any tag, so that long stretches stay open
		for i := range all {
			all[i] = uint16(i)
		}
		for i := range m.morphOf {
			m.morphOf[i] = all
		}
		for round := range 60 {
			for i := range m.morph.pairs {
				m.morph.pairs[i] = (int32(r.Below(5)) - 2) << (round % 12)
			}
			s := randomForms(&r, 1+int(r.Below(40)))
			if round%4 == 3 {
				s.Dense.Feats = make([]int32, len(s.Words)*len(m.feats))
				for i := range s.Dense.Feats {
					s.Dense.Feats[i] = int32(r.Below(4000))
				}
			}
			x, sc := m.choose(&scratch{}, &s, Request{Retag: true}, Bounds{Tags: 4, Most: 1 << 20}), &scratch{}
			for i := range s.Words {
				for _, label := range m.all {
					got, want := x.with(i, label), x.withAnew(sc, i, label)
					if got != want {
						t.Fatalf("fine %v, word %d of %d as %s: %v, by the whole sentence %v", fine, i+1, len(s.Words), m.upos[label], got, want)
					}
					if got.Feats != x.s.Words[i].Feats {
						changed++
					}
				}
			}
		}
	}
	if changed < 100 {
		t.Errorf("only %d tags change FEATS", changed)
	}
}

func BenchmarkChoices(b *testing.B) {
	m := trainToy(b)
	for _, n := range []int{30, 330, 990} {
		r := hash.Rand(9)
		s := randomForms(&r, n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				m.Choices(&s, Request{Retag: true}, Bounds{Tags: 3, Feats: 3, Most: 1 << 20})
			}
		})
	}
}

package model

import (
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/encode"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/syntax"
)

// asNetwork returns sections in which the encoder and its mix are a small network and its mix.
func asNetwork(sections []pack.Section) []pack.Section {
	out := slices.Clone(sections)
	for i := range out {
		for from, to := range map[string]string{EncodeName + ".": NetworkName + ".", MixName + ".": NetworkMixName + "."} {
			if rest, found := strings.CutPrefix(out[i].Name, from); found {
				out[i].Name = to + rest
			}
		}
	}
	return out
}

// A small network scores the sentences that the encoder does not, with the results of an
// encoder of the same weights, and leaves no scores behind.
func TestNetwork(t *testing.T) {
	for _, parse := range []int32{MixOne, 0} { // with 0, the search has no scores of arcs
		testNetwork(t, Mix{Tags: MixOne, Prune: MixOne, Parse: parse, Labels: MixOne})
	}
}

func testNetwork(t *testing.T, mix Mix) {
	t.Helper()
	sections := withTiny(t, mix)
	opened := func(sections []pack.Section) *Model {
		return must(OpenBytes(must(Encode(Info{Treebank: t.Name()}, sections))))
	}
	want := parsed(t, opened(sections), true)
	m := opened(asNetwork(sections))
	if m.Encodes() || m.NetworkMix != mix {
		t.Errorf("an encoder: %v, the mix of the network: %+v", m.Encodes(), m.NetworkMix)
	}
	runs := 0
	m.Network = counted{m.Network, &runs}
	got := parsed(t, m, false)
	if runs != len(got) {
		t.Errorf("the network ran %d times for %d sentences", runs, len(got))
	}
	if !agree(got, want) {
		t.Error("the network does not give what an encoder of its weights does")
	}
	for i := range got {
		if got[i].Dense.Arcs != nil {
			t.Fatalf("sentence %d keeps its dense scores", i+1)
		}
		if score, ok := m.Score(&got[i], got[i].Heads()); !ok || float32(float64(score)/4096) != got[i].Confidence.TreeScore {
			t.Errorf("the tree of sentence %d scores %d, and scored %v in the search", i+1, score, got[i].Confidence.TreeScore)
		}
	}

	other := must(encode.Quantize(encode.Tiny(5, strings.Fields("det nsubj obj root punct dep"))))
	var b pack.Builder
	other.Pack(b.Sub(EncodeName))
	mix.Pack(b.Sub(MixName))
	both := opened(slices.Concat(asNetwork(sections), b.Sections))
	if !agree(parsed(t, both, false), want) {
		t.Error("with an encoder, other sentences are not scored by the network")
	}
	if encoded := parsed(t, opened(slices.Concat(smallModel(t), b.Sections)), true); !agree(parsed(t, both, true), encoded) {
		t.Error("with a network, sentences that were encoded have other trees")
	}
	runs = 0
	both.Network = counted{both.Network, &runs}
	if parsed(t, both, true); runs > 0 {
		t.Errorf("the network ran %d times for sentences that were encoded", runs)
	}
}

// Tag does not use what the network said of other words of the sentence.
func TestNetworkReadsNewWords(t *testing.T) {
	m := must(OpenBytes(must(Encode(Info{Treebank: t.Name()}, asNetwork(withTiny(t, Mix{Tags: 4 * MixOne}))))))
	var again syntax.Sentence
	for i, s := range toySentences() {
		again.Words = slices.Clone(s.Words)
		m.Tag(&again, true)
		m.Prune(&again)
		s = syntax.Sentence{Words: slices.Clone(s.Words)}
		m.Tag(&s, true)
		if !slices.Equal(again.Words, s.Words) {
			t.Errorf("sentence %d has other tags after another sentence", i+1)
		}
	}
}

// counted counts the calls of Encode.
type counted struct {
	Encoder
	runs *int
}

func (c counted) Encode(sents []*syntax.Sentence) {
	*c.runs++
	c.Encoder.Encode(sents)
}

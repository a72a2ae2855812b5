package model

import (
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/encode"
	"github.com/treebeam/treebeam/parser/pack"
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
	mix := Mix{Tags: MixOne, Prune: MixOne, Parse: MixOne, Labels: MixOne}
	sections := withTiny(t, mix)
	opened := func(sections []pack.Section) *Model {
		return must(OpenBytes(must(Encode(Info{Treebank: t.Name()}, sections))))
	}
	want := parsed(t, opened(sections), true)
	m := opened(asNetwork(sections))
	if m.Encodes() || m.NetworkMix != mix {
		t.Errorf("an encoder: %v, the mix of the network: %+v", m.Encodes(), m.NetworkMix)
	}
	got := parsed(t, m, false)
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
}

package encode

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/syntax"
)

// inRange reports log-probabilities, sums of so many, that are none.
func inRange(t *testing.T, what string, list []int32, terms int) {
	t.Helper()
	for i, v := range list {
		if v > 0 && terms == 1 || int(v) < terms*least || int(v) > -terms*least {
			t.Fatalf("%s: score %d is %d", what, i, v)
		}
	}
}

// scoresOf encodes sentences and looks at all scores.
func scoresOf(t *testing.T, m *Model, feats int) {
	t.Helper()
	m = m.Bind(m.heads.labels, [][2]string{{"NOUN", "NN"}, {"X", ""}}, []string{"", "Case=Nom", "Case=Nom|Number=Sing"})
	r := hash.Rand(4)
	for _, n := range []int{1, 5, 40} {
		s := sentence(&r, n, small.pieces, 3)
		for i := range s.Words {
			s.Words[i].Head = int32(i)
		}
		m.Encode([]*syntax.Sentence{s})
		m.Labels(s)
		inRange(t, "arcs", s.Dense.Arcs, 1)
		inRange(t, "labels", s.Dense.Labels, 1)
		inRange(t, "tags", s.Dense.Tags, 2)
		inRange(t, "FEATS", s.Dense.Feats, feats)
	}
}

// Weights up to their bound give scores like any others.
func TestLargestWeights(t *testing.T) {
	for round := range uint64(12) {
		p, h := random([]sizes{small, small, local, local}[round%4], 40+round)
		list := packed(quantized(t, p, h))
		r := hash.Rand(round)
		for i, s := range list {
			if s.Kind != pack.Float32 || s.Name == "encode.pieces.scores" || s.Name == "encode.epsilon" {
				continue
			}
			for at := 0; at < len(s.Data); at += 4 {
				if x := float32(maxWeight); r.Below(3) > 0 || round < 2 {
					if round%2 == 1 && r.Below(2) == 0 {
						x = -x
					}
					binary.LittleEndian.PutUint32(list[i].Data[at:], math.Float32bits(x))
				}
			}
		}
		m, err := Open(pack.NewView(list), "encode")
		if err != nil {
			t.Fatal(err)
		}
		scoresOf(t, m, 2*len(m.heads.classifiers)+2)
	}
}

// FuzzOpen: a component of any bytes, an encoder or a small network with coarse vectors, is refused, or
// scores.
func FuzzOpen(f *testing.F) {
	for i := range 90 {
		f.Add(uint16(i), uint16(3), uint32(0), int8(0))
		f.Add(uint16(i), uint16(0), uint32(1), int8(0))
		f.Add(uint16(i), uint16(4), uint32(0), int8(-1))
	}
	var good [2][]pack.Section
	for i, z := range []sizes{small, local} {
		m, err := Quantize(random(z, 12))
		if err != nil {
			f.Fatal(err)
		}
		if z == local {
			m = m.Coarse(5, 20)
		}
		good[i] = packed(m)
	}
	f.Fuzz(func(t *testing.T, section, at uint16, value uint32, longer int8) {
		list := slices.Clone(good[section%2])
		s := &list[int(section)/2%len(list)]
		s.Data = bytes.Clone(s.Data)
		size := s.Kind.Size()
		for ; longer < 0 && len(s.Data) > 0; longer++ {
			s.Data = s.Data[:len(s.Data)-size]
		}
		for ; longer > 0; longer-- {
			s.Data = append(s.Data, make([]byte, size)...)
		}
		if n := len(s.Data) / size; n > 0 {
			var four [4]byte
			binary.LittleEndian.PutUint32(four[:], value)
			copy(s.Data[int(at)%n*size:], four[:size])
		}
		if m, err := Open(pack.NewView(list), "encode"); err == nil {
			scoresOf(t, m, 2*len(m.heads.classifiers)+2)
		}
	})
}

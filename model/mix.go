package model

import (
	"fmt"

	"github.com/treebeam/treebeam/parser/pack"
)

// MixName is the component of the factors of an encoder's scores. A model has
// it if and only if it has an encoder.
const MixName = "mix"

// A Mix says what the dense scores of an encoder count beside the scores of the
// sparse model: every choice goes by sparse + factor * dense, a product of
// experts (Hinton 2002). Factors are in 1/MixOne, 0 adds nothing.
type Mix struct {
	Tags   int32 // of UPOS and XPOS, in the tagger's first layer
	Feats  int32 // of FEATS, in its second
	Prune  int32 // of arcs, in the pruner
	Parse  int32 // of arcs, in the parser, beside what the pruner's log-odds say of them
	Labels int32 // of deprels
	Cut    int32 // of the pruner, in 1/1024 nat, in place of the pruner's own; 0 leaves that
}

// MixOne is the factor 1; MaxMix is the largest factor, 16, and MaxMixCut the
// largest cut, 16 nats.
const (
	MixOne    = 256
	MaxMix    = 16 * MixOne
	MaxMixCut = 16 * 1024
)

// Pack puts the factors under s.
func (x *Mix) Pack(s *pack.Sub) { pack.Write(s, x.layout) }

// OpenMix returns the factors that Pack has put under the component's name.
func OpenMix(v *pack.View, component string) (Mix, error) {
	var x Mix
	err := pack.Read(v, component, x.layout)
	return x, err
}

func (x *Mix) layout(l *pack.Layout) {
	for _, f := range []struct {
		name string
		to   *int32
		most int32
	}{
		{"tags", &x.Tags, MaxMix}, {"feats", &x.Feats, MaxMix}, {"prune", &x.Prune, MaxMix}, {"parse", &x.Parse, MaxMix},
		{"labels", &x.Labels, MaxMix}, {"cut", &x.Cut, MaxMixCut},
	} {
		pack.Value(l, f.name, f.to)
		l.Check(f.name, *f.to >= 0 && *f.to <= f.most, fmt.Sprintf("is not between 0 and %d", f.most))
	}
}

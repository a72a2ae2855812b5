package model

import (
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/pack"
)

func TestMix(t *testing.T) {
	want := Mix{Tags: 1, Feats: 2, Prune: MixOne, Parse: 0, Labels: MaxMix, Cut: MaxMixCut}
	read := func(x Mix) (Mix, error) {
		var b pack.Builder
		x.Pack(b.Sub(MixName))
		return OpenMix(pack.NewView(b.Sections), MixName)
	}
	if got, err := read(want); err != nil || got != want {
		t.Errorf("%+v (%v), want %+v", got, err, want)
	}
	for name, x := range map[string]Mix{"prune": {Prune: MaxMix + 1}, "labels": {Labels: -1}, "cut": {Cut: MaxMixCut + 1}} {
		if _, err := read(x); err == nil || !strings.Contains(err.Error(), `"mix.`+name+`"`) {
			t.Errorf("%+v: %v", x, err)
		}
	}
	if _, err := OpenMix(pack.NewView(nil), MixName); err == nil {
		t.Error("a mix that is not there was read")
	}
}

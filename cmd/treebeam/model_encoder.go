package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/treebeam/treebeam/model"
)

// printEncoder writes what the provenance says of an encoder, if there is one.
// line writes a name and a value.
func printEncoder(e *model.Encoded, line func(name, value string)) {
	if e == nil {
		return
	}
	line("encoder", e.Name)
	line("  source", e.Source)
	line("  licence", e.Licence)
	notice, _, _ := strings.Cut(e.Notice, "\n")
	line("  notice", notice)
	line("  file", fmt.Sprintf("%s, sha256 %s", e.File, e.SHA256))
	epochs := "as many as usual"
	if e.Epochs > 0 {
		epochs = fmt.Sprint(e.Epochs)
	}
	line("  layers", fmt.Sprintf("%d, tuned, seed %d, epochs: %s", e.Layers, e.Seed, epochs))
	line("  pieces", fmt.Sprint(e.Pieces))
	for _, t := range e.Texts {
		line("  text", fmt.Sprintf("%s, %d words, sha256 %s", t.File, t.Words, t.SHA256))
	}
	line("  made for", e.Sparse)
}

// printMix writes what an encoder counts in the stages.
func printMix(out io.Writer, m *model.Model) {
	if m.Encoder == nil {
		return
	}
	x := m.Mix
	part := func(f int32) float64 { return float64(f) / model.MixOne }
	fmt.Fprintf(out, "\nfactors of the encoder: tags %.3f, feats %.3f, arcs in the pruner %.3f, in the parser %.3f, labels %.3f; the pruner's cut %.2f nats\n",
		part(x.Tags), part(x.Feats), part(x.Prune), part(x.Parse), part(x.Labels), cmp.Or(float64(x.Cut)/1024, m.Pruner.Cut()))
}

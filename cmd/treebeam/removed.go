package main

import (
	"strings"

	"github.com/spf13/pflag"
)

// departed says where the code of a flag is that a command had once, or of a command.
// What was measured and brought nothing has left the program (lab/notes has the figures).
var departed = map[string]string{
	"decoder":        sampling,
	"samples":        sampling,
	"head-samples":   sampling,
	"joint-tags":     "half the speed for 0.3 LAS, and --accurate gains more: lab/notes/family.md names the commit that has it",
	"man":            "treebeam help COMMAND --all prints what its pages had",
	"enhanced":       "the parser makes no enhanced graphs: lab/notes/results.md names the scorer for them",
	"cluster":        "go run -C lab ./bench classes, in the repository, makes files for train --clusters",
	"reparse":        "treebeam parse --state does it",
	"no-pos":         tensor,
	"tensor-start":   tensor,
	"vectors":        tensor,
	"vectors-limit":  tensor,
	"strategy":       "max-violation gained too little to tell: lab/notes/family.md names the commit that has it",
	"revise-unknown": "measured without gain: lab/notes/family.md names the commit that has it",
}

const tensor = "it was for experiments: lab/notes/tensor.md names the commit that has it"

const sampling = "sampled trees gained nothing: lab/notes/sampling.md names the commit that has it"

// hasLeft says why fs has no such flag any more, "" if there never was one.
func hasLeft(fs *pflag.FlagSet, name string) string {
	name = strings.ReplaceAll(name, "_", "-")
	if where := departed[name]; where != "" && fs.Lookup(name) == nil {
		return "--" + name + " has left the program: " + where
	}
	return ""
}

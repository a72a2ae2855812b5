package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// plain turns an error of package pflag about the flags of cmd into our words.
func plain(cmd *cobra.Command, err error) string {
	var unknown *pflag.NotExistError
	var missing *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	var syntax *pflag.InvalidSyntaxError
	switch {
	case errors.As(err, &unknown):
		return plainUnknown(cmd, unknown)
	case errors.As(err, &missing):
		return flagName(missing.GetFlag(), missing.GetSpecifiedName()) + " needs a value"
	case errors.As(err, &syntax):
		return syntax.GetSpecifiedFlag() + " is not an option"
	case errors.As(err, &invalid):
		f := invalid.GetFlag()
		return fmt.Sprintf("%s %q: %s", flagName(f, ""), invalid.GetValue(), plainValue(f, invalid.GetValue(), invalid.Unwrap()))
	}
	return err.Error()
}

func plainUnknown(cmd *cobra.Command, err *pflag.NotExistError) string {
	fs, name := cmd.Flags(), err.GetSpecifiedName()
	if left := hasLeft(fs, name); left != "" {
		return left
	}
	if f := flagOfParse(cmd, err); f != nil {
		return cmd.Name() + " has no --" + f.Name + ", which parse has"
	}
	if letters := err.GetSpecifiedShortnames(); len(letters) > 0 {
		where := "-" + name
		if letters != name {
			where += " in -" + letters
		}
		return "unknown option " + where + "; put file names that begin with - after --"
	}
	if near := nearestFlag(fs, name); near != "" {
		return "unknown option --" + name + "; did you mean --" + near + "?"
	}
	return "unknown option --" + name + "; put file names that begin with - after --"
}

// flagOfParse returns the flag of treebeam parse that cmd was given but does not have, nil
// if parse has none either.
func flagOfParse(cmd *cobra.Command, err *pflag.NotExistError) *pflag.Flag {
	parse, _, _ := cmd.Root().Find([]string{"parse"})
	name := err.GetSpecifiedName()
	if err.GetSpecifiedShortnames() != "" && len(name) == 1 {
		return parse.Flags().ShorthandLookup(name)
	}
	return parse.Flags().Lookup(name)
}

// plainValue says what is wrong with the value of a flag.
func plainValue(f *pflag.Flag, value string, err error) string {
	_, number := strconv.ParseFloat(value, 64)
	switch {
	case f.NoOptDefVal == "true":
		return "must be true or false"
	case strings.HasPrefix(f.Value.Type(), "uint") && number == nil && strings.HasPrefix(value, "-"):
		return "must not be negative"
	case strings.Contains(f.Value.Type(), "int") && number != nil:
		return "is not a number"
	case strings.Contains(f.Value.Type(), "int"):
		return "is not a whole number, or is out of range"
	case f.Value.Type() == "float64":
		return "is not a number"
	case err.Error() == "parse error": // of package flag
		return "is not a value of the right kind"
	}
	return err.Error()
}

// flagName is the name of a flag with its dashes.
func flagName(f *pflag.Flag, typed string) string {
	if f == nil {
		return "--" + typed
	}
	if b, ok := f.Value.(beamFlag); ok {
		return "--" + b.Name
	}
	return "--" + f.Name
}

// nearestFlag returns the flag of fs that a mistyped name probably means, "" if there
// is none. It ignores Beam's flags.
func nearestFlag(fs *pflag.FlagSet, typed string) string {
	var names []string
	fs.VisitAll(func(f *pflag.Flag) {
		if !isBeamFlag(f) {
			names = append(names, f.Name)
		}
	})
	slices.Sort(names)
	return nearest(strings.ReplaceAll(typed, "_", "-"), names)
}

// suggestion helps with a mistyped command, or a file given without one.
func suggestion(root *cobra.Command, name string) string {
	if where := departed[name]; where != "" {
		return " any more: " + where
	}
	if _, err := os.Stat(name); err == nil {
		return "; to parse the file: treebeam parse " + pathWord(name) + " --to conllu"
	}
	var names []string
	for _, c := range root.Commands() {
		names = append(names, c.Name())
	}
	if near := nearest(name, names); near != "" {
		return "; did you mean " + near + "? treebeam help lists them"
	}
	return "; treebeam help lists them"
}

// nearest returns the name that a mistyped one probably means: the first name with the
// fewest differences, "" if all have too many.
func nearest(typed string, names []string) string {
	if len(typed) < 2 {
		return ""
	}
	best, fewest := "", 1+len(typed)/3
	for _, name := range names {
		d := differences(typed, name)
		if len(typed) > 2 && strings.HasPrefix(name, typed) {
			d = min(d, 1) // cut short
		}
		if d < fewest || d == fewest && best == "" {
			best, fewest = name, d
		}
	}
	return best
}

// differences counts the letters to insert, delete, replace or exchange with
// their neighbour to turn a into b.
func differences(a, b string) int {
	before, last := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row := make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(row[j]+1, last[j+1]+1, last[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}

// departed says where the code of a command, a --flag or a value is that the program had once.
// What was measured and brought nothing has left the program (lab/notes has the figures).
var departed = map[string]string{
	"--decoder":        sampling,
	"--samples":        sampling,
	"--head-samples":   sampling,
	"--joint-tags":     "half the speed for 0.3 LAS, and --accurate gains more: lab/notes/family.md names the commit that has it",
	"man":              "treebeam help COMMAND --all prints what its pages had",
	"--enhanced":       "the parser makes no enhanced graphs: lab/notes/results.md names the scorer for them",
	"encoder":          "treebeam train --encoder reads encoders as they are published: docs/encoder.md",
	"cluster":          classes,
	"--clusters":       classes,
	"reparse":          "treebeam parse --state does it",
	"--no-pos":         tensor,
	"--tensor-start":   tensor,
	"--vectors":        tensor,
	"--vectors-limit":  tensor,
	"--state":          "name the folder of a state as you would name an output",
	"--delta":          "it was for experiments; it is the loss of one wrong head: lab/notes/ablation.md",
	"--preset full":    "lab/notes/ablation.md has what its families earned, and the commit that has them",
	"--encoder-seed":   "--seed seeds the tuning of the encoder, too",
	"--gamma":          "it is 0.7, the best of what was measured: lab/notes/tensor.md",
	"--tree-tags":      "the size of the treebank decides: docs/training.md",
	"--strategy":       "max-violation gained too little to tell: lab/notes/family.md names the commit that has it",
	"--revise-unknown": "measured without gain: lab/notes/family.md names the commit that has it",
}

const classes = "silver text and encoders bring more than classes of words: lab/notes/family.md names the commit that has them"

const tensor = "it was for experiments: lab/notes/tensor.md names the commit that has it"

const sampling = "sampled trees gained nothing: lab/notes/sampling.md names the commit that has it"

// hasLeft says why fs has no such flag any more, "" if there never was one.
func hasLeft(fs *pflag.FlagSet, name string) string {
	name = "--" + strings.ReplaceAll(name, "_", "-")
	if where := departed[name]; where != "" && fs.Lookup(name[2:]) == nil {
		return name + " has left the program: " + where
	}
	return ""
}

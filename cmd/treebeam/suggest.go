package main

import (
	"flag"
	"os"
	"strings"
)

// plain turns an error of package flag about fs into our words.
func plain(fs *flag.FlagSet, err error) string {
	text := err.Error()
	if name, ok := strings.CutPrefix(text, "flag provided but not defined: -"); ok {
		name = strings.TrimPrefix(name, "-")
		var names []string
		fs.VisitAll(func(f *flag.Flag) {
			if !isBeamFlag(fs, f) {
				names = append(names, f.Name)
			}
		})
		if near := nearest(strings.ReplaceAll(name, "_", "-"), names); near != "" {
			return "unknown option --" + name + "; did you mean --" + near + "?"
		}
		return "unknown option --" + name + "; the name of a file that begins with - goes behind --"
	}
	if name, ok := strings.CutPrefix(text, "flag needs an argument: -"); ok {
		return "--" + name + " needs a value"
	}
	if rest, ok := strings.CutPrefix(text, "bad flag syntax: "); ok {
		return rest + " is no option"
	}
	for _, kind := range []string{"invalid value ", "invalid boolean value "} {
		rest, ok := strings.CutPrefix(text, kind)
		if !ok {
			continue
		}
		value, rest, _ := strings.Cut(rest, " for flag -")
		value, rest, _ = cutAround(value, rest)
		name, why, _ := strings.Cut(rest, ": ")
		switch {
		case kind != "invalid value " && why == "parse error":
			why = "must be true or false"
		case why == "parse error":
			why = "is not a number of the right kind"
		case why == "value out of range":
			why = "is out of range"
		}
		return "--" + name + " " + value + ": " + why
	}
	return text
}

// cutAround moves the spelling "-name" of some versions of package flag, for
// boolean values, to where the others have it.
func cutAround(value, rest string) (string, string, bool) {
	if rest != "" {
		return value, rest, true
	}
	before, after, ok := strings.Cut(value, " for -")
	return before, after, ok
}

// suggestion helps with a mistyped command, or a file given without one.
func suggestion(name string) string {
	if _, err := os.Stat(name); err == nil {
		return "; to parse the file: treebeam parse " + name + " --to conllu"
	}
	var names []string
	for _, c := range commands {
		names = append(names, c.name)
	}
	if near := nearest(name, names); near != "" {
		return "; did you mean " + near + "? treebeam help lists them"
	}
	return "; treebeam help lists them"
}

// nearest returns the name that a mistyped one probably stands for: the first
// of those with the fewest differences, "" if all have too many.
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

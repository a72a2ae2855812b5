package output

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/treebeam/treebeam/io/source"
)

// Bounds of rules.
const (
	maxRules     = 1000    // of a run
	maxRuleBytes = 1 << 20 // of all of them
)

// A Rule says how the files that match its pattern are read. What it does not set is as
// RowOptions has it.
type Rule struct {
	source.Pattern
	values []string // of settings, "" is not set
}

// settings are the options that a rule may set, by their names in rules.
var settings = []struct {
	name string
	of   func(*RowOptions) *string
}{
	{"from", func(o *RowOptions) *string { return &o.From }},
	{"text", func(o *RowOptions) *string { return &o.TextKey }},
	{"id", func(o *RowOptions) *string { return &o.IDKey }},
	{"keep", func(o *RowOptions) *string { return &o.Keep }},
	{"encoding", func(o *RowOptions) *string { return &o.Encoding }},
	{"lines", func(o *RowOptions) *string { return &o.Lines }},
	{"document", func(o *RowOptions) *string { return &o.Document }},
	{"language", func(o *RowOptions) *string { return &o.Language }},
}

// ParseRule reads a rule, "PATTERN: NAME=VALUE NAME=VALUE". A value with white space is
// in double quotes, as in Go.
func ParseRule(s string) (r Rule, err error) {
	if !utf8.ValidString(s) {
		return r, errors.New("it is not UTF-8; convert it first, and write ? in a pattern for a character that is not")
	}
	pattern, rest, found := strings.Cut(strings.TrimSpace(s)+" ", ": ")
	if !found {
		return r, errors.New(`there is no ": " after the pattern; write it like "*.csv: text=Body id=ticket"`)
	}
	pattern = strings.TrimSpace(pattern)
	if strings.HasPrefix(strings.TrimPrefix(pattern, "./"), "#") || strings.ContainsFunc(pattern, unicode.IsControl) {
		return r, errors.New("the pattern begins with #, or has control characters; write ? for such a character")
	}
	if r.Pattern, err = source.ParsePattern(pattern); err != nil {
		return r, fmt.Errorf("the pattern %w", err)
	}
	r.values = make([]string, len(settings))
	for rest = strings.TrimSpace(rest); rest != ""; rest = strings.TrimSpace(rest) {
		name, after, _ := strings.Cut(rest, "=")
		i := slices.Index(settingNames(), name)
		switch {
		case i < 0:
			return r, fmt.Errorf("%q is not one of %s, each followed by = and a value", name, strings.Join(settingNames(), ", "))
		case r.values[i] != "":
			return r, fmt.Errorf("it sets %s twice", name)
		}
		if r.values[i], rest, err = cutValue(after); err != nil {
			return r, fmt.Errorf("%s: %w", name, err)
		}
	}
	return r, nil
}

func settingNames() (names []string) {
	for i := range settings {
		names = append(names, settings[i].name)
	}
	return names
}

// cutValue cuts off the value that s begins with.
func cutValue(s string) (value, rest string, err error) {
	end := strings.IndexFunc(s+" ", unicode.IsSpace)
	if quoted, err := strconv.QuotedPrefix(s); err == nil && s[0] == '"' {
		end = len(quoted)
	}
	value, rest = s[:end], s[end:]
	if strings.HasPrefix(value, `"`) {
		if value, err = strconv.Unquote(value); err != nil {
			return "", "", errors.New("a quote is not closed")
		}
	}
	if value == "" {
		return "", "", errors.New("it is empty")
	}
	return value, rest, nil
}

// String writes the rule so that ParseRule reads it, equal rules in the same way.
func (r Rule) String() string {
	var b strings.Builder
	b.WriteString(r.Pattern.String() + ":")
	for i, value := range r.values {
		if strings.ContainsFunc(value, func(c rune) bool { return unicode.IsSpace(c) || !unicode.IsPrint(c) }) || strings.HasPrefix(value, `"`) {
			value = strconv.Quote(value)
		}
		if value != "" {
			b.WriteString(" " + settings[i].name + "=" + value)
		}
	}
	return b.String()
}

// options returns o with what the rule sets.
func (r *Rule) options(o *RowOptions) RowOptions {
	one := *o
	one.Rules = ""
	for i, value := range r.values {
		if value != "" {
			*settings[i].of(&one) = value
		}
	}
	if one.Document == "file" {
		one.Document = ""
	}
	return one
}

// Rules are the rules of a run. The first that matches a file counts.
type Rules []Rule

// ParseRules reads rules, one a line. Blank lines and lines that begin with # are
// skipped.
func ParseRules(text string) (rules Rules, err error) {
	if len(text) > maxRuleBytes {
		return nil, fmt.Errorf("the rules have %d bytes, the limit is %d", len(text), maxRuleBytes)
	}
	line := 0
	for s := range strings.Lines(text) {
		line++
		if s = strings.TrimSpace(s); s == "" || s[0] == '#' {
			continue
		}
		r, err := ParseRule(s)
		if err != nil {
			return nil, fmt.Errorf("line %d: %q: %w", line, s, err)
		}
		if rules = append(rules, r); len(rules) > maxRules {
			return nil, fmt.Errorf("there are over %d rules", maxRules)
		}
	}
	return rules, nil
}

// String is what RowOptions.Rules holds: a rule a line.
func (rules Rules) String() string {
	lines := make([]string, len(rules))
	for i := range rules {
		lines[i] = rules[i].String()
	}
	return strings.Join(lines, "\n")
}

// Of returns the place of the rule for a file, -1 if there is none.
func (rules Rules) Of(in *source.Input) int {
	return slices.IndexFunc(rules, func(r Rule) bool { return r.Matches(in) })
}

// Each returns the options of the files of each rule.
func (rules Rules) Each(o *RowOptions) []RowOptions {
	list := make([]RowOptions, len(rules))
	for i := range rules {
		list[i] = rules[i].options(o)
	}
	return list
}

// Options returns the options for a file: what its rule sets, and else what o has.
func (rules Rules) Options(o *RowOptions, in *source.Input) RowOptions {
	if i := rules.Of(in); i >= 0 {
		return rules[i].options(o)
	}
	one := *o
	one.Rules = ""
	return one
}

// KeepKeys returns Keep as a list.
func (o *RowOptions) KeepKeys() []string {
	if o.Keep == "" {
		return nil
	}
	keys := strings.Split(o.Keep, ",")
	for i := range keys {
		keys[i] = strings.TrimSpace(keys[i])
	}
	return keys
}

// KeepColumns returns the keys that become columns of the output: those of Keep, then
// those that rules add. Keys that differ only in case share a column, because engines
// tell no names apart that do. Rules that cannot be read add none.
func (o *RowOptions) KeepColumns() []string {
	columns := o.KeepKeys()
	rules, _ := ParseRules(o.Rules)
	for _, one := range rules.Each(o) {
		for _, key := range one.KeepKeys() {
			if ColumnOf(columns, key) < 0 {
				columns = append(columns, key)
			}
		}
	}
	return columns
}

// ColumnOf returns the place among columns of the one for a key, -1 if there is none.
func ColumnOf(columns []string, key string) int {
	return slices.IndexFunc(columns, func(c string) bool { return strings.EqualFold(c, key) })
}

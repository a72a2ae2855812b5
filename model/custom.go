package model

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/treebeam/treebeam/parser/segment"
	"github.com/treebeam/treebeam/parser/tag"
)

// maxException bounds the bytes of a line of exceptions.
const maxException = 1000

// A Custom holds a caller's own rules, tags and lemmas, in addition to the model. Every
// opened model begins with the zero Custom.
type Custom struct {
	Rules      *segment.Rules  // abbreviations, and strings that are one token
	Exceptions *tag.Exceptions // tags and lemmas of forms
	// Unconstrained accepts the highest-scoring trees even if they break rules of
	// Universal Dependencies.
	Unconstrained bool
}

// With returns a copy of m with c in place of its Custom. It shares all memory with m.
func (m *Model) With(c Custom) *Model {
	made := *m
	made.custom = c
	return &made
}

// Lists are the written form of a Custom (docs/custom.md). The zero Lists are empty.
type Lists struct {
	Abbreviations []string        // no sentence ends after them: "approx." or "approx"
	KeepTogether  []string        // one token each, wherever they occur: "C++", "New York"
	Exceptions    []tag.Exception // tags and lemmas of forms
	Unconstrained bool            // as in Custom
}

// Custom makes a Custom of the lists. An error names what cannot be used.
func (l *Lists) Custom() (c Custom, err error) {
	c.Unconstrained = l.Unconstrained
	if len(l.Abbreviations)+len(l.KeepTogether) > 0 {
		if _, err := segment.NewRules(l.Abbreviations, nil); err != nil {
			return c, fmt.Errorf("abbreviations: %w", err)
		}
		if c.Rules, err = segment.NewRules(l.Abbreviations, l.KeepTogether); err != nil {
			return c, fmt.Errorf("strings to keep together: %w", err)
		}
	}
	if len(l.Exceptions) > 0 {
		if c.Exceptions, err = tag.NewExceptions(l.Exceptions); err != nil {
			return c, fmt.Errorf("exceptions: %w", err)
		}
	}
	return c, nil
}

// Empty reports whether the lists are empty.
func (l *Lists) Empty() bool {
	return len(l.Abbreviations)+len(l.KeepTogether)+len(l.Exceptions) == 0 && !l.Unconstrained
}

// ReadAbbreviations reads a text of abbreviations, one in each line. It ignores white
// space around them, empty lines, and comments, which begin with # and a space. An
// error names the line that cannot be used.
func ReadAbbreviations(text []byte) ([]string, error) {
	return readStrings(text, func(line []string) error {
		_, err := segment.NewRules(line, nil)
		return err
	})
}

// ReadKeepTogether reads strings that are one token each, in the format of
// ReadAbbreviations.
func ReadKeepTogether(text []byte) ([]string, error) {
	return readStrings(text, func(line []string) error {
		_, err := segment.NewRules(nil, line)
		return err
	})
}

func readStrings(text []byte, check func(line []string) error) (list []string, err error) {
	err = eachLine(text, func(n int, line string) error {
		list = append(list, trim(line))
		if err := check(list[len(list)-1:]); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		return nil
	})
	return list, err
}

// ReadExceptions reads a text of exceptions. A line has a form, its UPOS and its lemma,
// separated by tabs. An unknown field is _ or empty. Empty lines and comments are
// ignored, as by ReadAbbreviations. An error names the line that cannot be used.
func ReadExceptions(text []byte) (list []tag.Exception, err error) {
	err = eachLine(text, func(n int, line string) error {
		columns := strings.Split(line, "\t")
		if len(columns) < 2 || len(columns) > 3 {
			return fmt.Errorf("line %d, %.40q, has %d columns; it needs a form, its UPOS and its lemma, with tabs between them, and _ for what is not known",
				n, line, len(columns))
		}
		if len(line) > maxException {
			return fmt.Errorf("line %d, %.40q..., has %d bytes, at most %d are supported", n, line, len(line), maxException)
		}
		x := tag.Exception{Form: trim(columns[0]), UPOS: known(columns[1])}
		if len(columns) == 3 {
			x.Lemma = known(columns[2])
		}
		list = append(list, x)
		if strings.ContainsFunc(x.Form+x.Lemma, func(r rune) bool { return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' }) {
			return fmt.Errorf("line %d, %.40q, holds a control character or a line break", n, line)
		}
		if _, err := tag.NewExceptions(list[len(list)-1:]); err != nil {
			return errors.New(strings.Replace(err.Error(), "row 1", fmt.Sprintf("line %d", n), 1))
		}
		return nil
	})
	return list, err
}

// known is a column, or "" where it says that its value is not known.
func known(column string) string {
	if column = trim(column); column == "_" {
		return ""
	}
	return column
}

// trim takes white space from the ends of a string, and byte order marks, which
// files that were put together have inside.
func trim(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return unicode.IsSpace(r) || r == '\ufeff' })
}

// eachLine calls do with the lines of a text that say something, and their numbers
// from 1. It stops at the first error.
func eachLine(text []byte, do func(n int, line string) error) error {
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		if !utf8.ValidString(line) {
			return fmt.Errorf("line %d is not UTF-8: save the file as UTF-8", n)
		}
		if said := trim(line); said == "" || said == "#" || strings.HasPrefix(said, "# ") {
			continue
		}
		if err := do(n, strings.TrimRight(line, "\r\n")); err != nil {
			return err
		}
	}
	return nil
}

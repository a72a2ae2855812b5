// Package tables writes the figures of the released models into the pages. A page has
// the lines
//
//	<!-- table: NAME -->
//	<!-- end of table -->
//
// and what is between them is written anew, from the tables in lab/results. Programs
// write those: bench figures (english.tsv, speed.tsv) and bench world (languages.tsv).
// published.tsv alone is written by hand.
//
//	tables
package tables

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/treebeam/treebeam/io/store"
)

// Main writes the tables of README.md and docs.
func Main() error {
	if len(os.Args) != 1 {
		return errors.New("want no arguments")
	}
	pages, err := pages(".")
	if err != nil {
		return err
	}
	for _, page := range pages {
		before, err := os.ReadFile(page)
		if err != nil {
			return err
		}
		after, err := fill(string(before), "lab/results")
		if err != nil {
			return fmt.Errorf("%s: %w", page, err)
		}
		if after == string(before) {
			continue
		}
		if err := store.ReplaceFile(page, []byte(after)); err != nil {
			return err
		}
		fmt.Println("written:", page)
	}
	return nil
}

// pages returns the pages that may have tables.
func pages(root string) ([]string, error) {
	list, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	return append([]string{filepath.Join(root, "README.md")}, list...), err
}

var marked = regexp.MustCompile(`(?s)<!-- table: ([^\n]*?) -->\n(.*?)<!-- end of table -->`)

// fill returns a page with its tables, from the results in a folder.
func fill(page, results string) (string, error) {
	if n := len(marked.FindAllString(page, -1)); n != strings.Count(page, "<!-- table: ") || n != strings.Count(page, "<!-- end of table -->") {
		return "", errors.New("a table has no end, or an end has no table")
	}
	var failed error
	page = marked.ReplaceAllStringFunc(page, func(old string) string {
		name := marked.FindStringSubmatch(old)[1]
		render, ok := renderers[name]
		if !ok {
			failed = errors.Join(failed, fmt.Errorf("there is no table %q", name))
			return old
		}
		text, err := render(results)
		failed = errors.Join(failed, err)
		return "<!-- table: " + name + " -->\n" + text + "<!-- end of table -->"
	})
	return page, failed
}

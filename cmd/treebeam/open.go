package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/spf13/pflag"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/io/view"
	"github.com/treebeam/treebeam/pipeline"
	search "github.com/treebeam/treebeam/pipeline/find"
	"github.com/treebeam/treebeam/pipeline/nightly"
)

// openOutput opens what is in a folder: the output of a run, or what is
// current in a state.
func openOutput(ctx context.Context, folder string) (*output.Reader, error) {
	boundMemory()
	if nightly.IsState(ctx, folder) {
		s, err := nightly.At(folder)
		if err != nil {
			return nil, err
		}
		snapshot, err := s.MustCurrent(ctx)
		if err != nil {
			return nil, err
		}
		return snapshot.Output(), nil
	}
	o, err := output.Open(ctx, folder)
	if err == nil && len(o.Others) > 0 {
		say(os.Stderr, "%s is of another run and is not read, but queries over the folder read it (%s in all): remove it\n",
			store.Join(folder, o.Others[0]), view.Many(len(o.Others), "such file"))
	}
	return o, err
}

// openOne opens the only argument of a command, which writes the file target.
func openOne(ctx context.Context, folders []string, target string) (*output.Reader, error) {
	if len(folders) != 1 {
		return nil, refuse("name one output folder of treebeam parse, or the folder of a state; got %s", view.Many(len(folders), "argument"))
	}
	from, err := openOutput(ctx, folders[0])
	if err != nil {
		return nil, err
	}
	return from, checkTarget(from, target)
}

// checkTarget refuses --output if that is a file that cannot be written, or one of the
// files that from is made of.
func checkTarget(from *output.Reader, target string) error {
	if target == "" || target == "-" {
		return nil
	}
	return cmp.Or(output.CheckTarget("--output", target, false), from.NotAnInput("--output", target))
}

// openSources opens what names name for a command that reads trees and writes the file
// target: outputs, states, and CoNLL-U files. Adjacent CoNLL-U files are one source,
// sorted as inputs are.
func openSources(ctx context.Context, names []string, target string, broken *brokenBlocks) (list []search.Source, err error) {
	boundMemory()
	for names = withFilesIn(ctx, names); len(names) > 0; {
		n := 0
		for ; n < len(names) && pipeline.NamesFiles(names[n]); n++ {
			if target != "" && isAmong(names[n], target) {
				return nil, refuse("--output %s is one of the files that are read: it would be lost; name another", target)
			}
		}
		if n > 0 {
			list = append(list, search.Source{Name: strings.Join(names[:n], " "), Trees: pipeline.ReadAnnotated(ctx, names[:n], os.Stdin, broken.add)})
			names = names[n:]
			continue
		}
		from, err := openOne(ctx, names[:1], target)
		if err != nil {
			return nil, err
		}
		list, names = append(list, search.Of(from)), names[1:]
	}
	return list, nil
}

// isAmong reports whether a file is the one that a name means, or one of the files that
// it matches as a pattern.
func isAmong(name, file string) bool {
	if store.IsRemote(name) || store.IsRemote(file) {
		return false
	}
	if output.SameFile(name, file) {
		return true
	}
	pattern, err := filepath.Abs(strings.TrimPrefix(name, "file://"))
	if err != nil {
		return false
	}
	if file, err = filepath.Abs(file); err != nil {
		return false
	}
	_, err = os.Stat(file)
	matches, _ := doublestar.PathMatch(pattern, file)
	return err == nil && matches
}

// withFilesIn puts the CoNLL files that folders contain in the place of the folders;
// folders of outputs and states stay.
func withFilesIn(ctx context.Context, names []string) (list []string) {
	for _, name := range names {
		if files := pipeline.FilesIn(name); files != nil && !nightly.IsState(ctx, name) {
			list = append(list, files...)
			continue
		}
		list = append(list, name)
	}
	return list
}

// brokenBlocks counts the blocks of CoNLL files that cannot be read, and names the
// first ones with their file and line.
type brokenBlocks struct{ n int }

// namedBlocks is how many are named.
const namedBlocks = 5

func (b *brokenBlocks) add(err *conllu.Error) {
	if b.n++; b.n <= namedBlocks {
		say(os.Stderr, "left out: %v\n", err)
	}
}

// end reports what was left out. As for a run, the status is 3 if nothing was read.
func (b *brokenBlocks) end(read int64) error {
	if b.n > namedBlocks {
		say(os.Stderr, "left out: %s\n", view.Many(b.n-namedBlocks, "more broken block"))
	}
	if b.n > 0 && read == 0 {
		return exitCode(exitFailures)
	}
	return nil
}

// A selection says which sentences of corpora count.
type selection struct{ doc, language string } // "" is any

func (s *selection) define(fs *pflag.FlagSet) {
	fs.StringVar(&s.doc, "doc", "", "only sentences of the document with this `ID` (column doc_id)")
	fs.StringVar(&s.language, "language", "", "only sentences in the language `CODE` (column language)")
}

// of returns the selected sentences of sources.
func (s *selection) of(list []search.Source) []search.Source {
	for i := range list {
		list[i] = list[i].Only(s.doc, s.language)
	}
	return list
}

// said says in a message what was selected, "" if that is everything.
func (s *selection) said() (said string) {
	if s.doc != "" {
		said += fmt.Sprintf(" of a document with the id %q; ids are paths below the folder that was parsed", s.doc)
	}
	if s.language != "" {
		said += fmt.Sprintf(" in the language %q; CoNLL-U says the language in comments # language", s.language)
	}
	return said
}

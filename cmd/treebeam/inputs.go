package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/spf13/pflag"

	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/io/store"
)

// namedInputs are the flags that name inputs in addition to the arguments.
type namedInputs struct{ inputs, filesFrom, exclude list }

func (n *namedInputs) define(f *pflag.FlagSet) {
	f.VarP(&n.inputs, "input", "i", "read the files that match `PATTERN`; repeatable")
	f.Var(&n.filesFrom, "files-from", "read the files listed in `LIST`, one path per line; - is standard input")
	f.Var(&n.exclude, "exclude", "leave out files and folders that match `PATTERN`; repeatable")
	group(f, inputFlags)
}

// paths reads the lists of --files-from. patterns are all other inputs. Its
// errors are refusals.
func (n *namedInputs) paths(ctx context.Context, patterns []string) ([]string, error) {
	if lists := slices.Concat(n.filesFrom, patterns); count(lists, "-") > 1 && slices.Contains(n.filesFrom, "-") {
		return nil, refuse("--files-from -: standard input is read once; name a file for the list, or for the text")
	}
	var paths []string
	for _, name := range n.filesFrom {
		if name == "" {
			return nil, refuse("--files-from is empty: name a file, or leave it out")
		}
		some, err := readList(ctx, name)
		if interrupted() {
			return nil, exitCode(exitInterrupted)
		}
		if file := new(fs.PathError); errors.As(err, &file) {
			return nil, refuse("--files-from %s: %w", store.Redact(name), file.Err)
		}
		if err != nil {
			return nil, refuse("--files-from: %w", err)
		}
		paths = append(paths, some...)
	}
	return paths, nil
}

// readList reads one list of paths, from a file, a pipe or a bucket; .gz, .zst and
// .bz2 are decompressed.
func readList(ctx context.Context, name string) ([]string, error) {
	if name == "-" {
		return source.ReadPaths(os.Stdin, "standard input")
	}
	var r io.ReadCloser
	var err error
	if store.IsRemote(name) {
		var stop context.CancelFunc
		ctx, stop = interruptible(ctx)
		defer stop()
		r, _, err = store.OpenFile(ctx, name)
	} else {
		r, err = os.Open(name) // a signal ends the process at once, also when a pipe has no writer
	}
	if err != nil {
		return nil, err
	}
	defer r.Close()
	plain, err := source.Decompress(name, bufio.NewReader(r))
	if err != nil {
		return nil, err
	}
	return source.ReadPaths(plain, store.Redact(name))
}

func count(all []string, s string) (n int) {
	for _, x := range all {
		if x == s {
			n++
		}
	}
	return n
}

package nightly

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/pipeline"
)

// A Spool tells a watch which files of its input have arrived. It remembers some bytes
// of every file that is there, and nothing of others.
type Spool struct {
	known map[fileState]bool // the last listing; true: was settled
}

// A fileState is a digest of a file's name, size and version.
type fileState [16]byte

func stateOf(in *source.Input) fileState {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %d %q", in.URI, in.Size, in.Version))
	return fileState(sum[:])
}

// unfinished are names of files that somebody is still writing.
var unfinished = []string{"*.tmp", "*.part", "*~"}

// List lists the input of a watch whose output is the folder dir. Files with the names of
// temporary ones are left out, in addition to those that source.List leaves out.
func (s *Spool) List(ctx context.Context, o *pipeline.Options, dir string) ([]source.Input, error) {
	return source.List(ctx, o.Inputs, source.ListOptions{Paths: o.Paths, Exclude: append(slices.Clone(o.Exclude), unfinished...),
		Skip: []string{dir}, AllowEmpty: true})
}

// Poll returns the files of a listing that are ready and were not settled. A file on a
// local disk is ready if the listing before had it with the same size and time. An object
// is ready at once, for it appears whole. Gone says that a settled file is not there any
// more, or not as it was.
func (s *Spool) Poll(listing []source.Input) (ready []source.Input, gone bool) {
	known, still := make(map[fileState]bool, len(listing)), 0
	settledBefore := 0
	for _, settled := range s.known {
		if settled {
			settledBefore++
		}
	}
	for i := range listing {
		in := &listing[i]
		at := stateOf(in)
		settled, before := s.known[at]
		known[at] = settled
		switch {
		case settled:
			still++
		case before || store.IsRemote(in.URI):
			ready = append(ready, *in)
		}
	}
	s.known = known
	return ready, still < settledBefore
}

// Settle notes that files were parsed.
func (s *Spool) Settle(files []source.Input) {
	for i := range files {
		s.known[stateOf(&files[i])] = true
	}
}

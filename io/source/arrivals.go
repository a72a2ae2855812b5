package source

import (
	"crypto/sha256"
	"fmt"

	"github.com/treebeam/treebeam/io/store"
)

// Unfinished are patterns of the names of files that a program is still writing, for
// ListOptions.Exclude.
var Unfinished = []string{"*.tmp", "*.part", "*~"}

// Arrivals find the files that have arrived in an input that is listed again and again.
// They hold some bytes for every file that exists.
type Arrivals struct {
	known   map[fileState]bool // the last listing; true: was settled
	settled int
}

// A fileState is a digest of a file's name, size and version.
type fileState [16]byte

func (in *Input) state() fileState {
	size, version := in.file() // an archive that is still written to has members
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %d %q %d %q", in.URI, in.Size, in.Version, size, version))
	return fileState(sum[:])
}

// Poll returns the files of a listing that are ready and not settled. A file on a local
// disk is ready if the previous listing had it with the same size and time. An object
// is ready at once, because it appears whole. gone reports whether a settled file has
// disappeared or changed.
func (a *Arrivals) Poll(listing []Input) (ready []Input, gone bool) {
	known, still := make(map[fileState]bool, len(listing)), 0
	for i := range listing {
		at := listing[i].state()
		settled, before := a.known[at]
		switch known[at] = settled; {
		case settled:
			still++
		case before || store.IsRemote(listing[i].URI):
			ready = append(ready, listing[i])
		}
	}
	gone = still < a.settled
	a.known, a.settled = known, still
	return ready, gone
}

// Settle marks files of the last listing as done, so that Poll does not return them
// again.
func (a *Arrivals) Settle(files []Input) {
	for i := range files {
		a.known[files[i].state()] = true
	}
	a.settled += len(files)
}

package pipeline

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"sync"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/store"
)

// A spool is the folder to which a run copies standard input and pipes, because
// a range may be read more than once. It stands among the temporary files of
// the output, where a later run finds what a killed one has left; if that is an
// object store, among those of this machine. It is made by who copies.
type spool struct {
	dir     string
	missing []string // the folders above it that were not there, the innermost first
}

// spools are those of this process.
var spools = struct {
	sync.Mutex
	open map[*spool]bool
}{open: map[*spool]bool{}}

func newSpool(folder string) *spool {
	s := &spool{dir: filepath.Join(os.TempDir(), "treebeam-stdin-"+rand.Text())}
	if !store.IsRemote(folder) {
		s.dir = filepath.Join(folder, output.OwnDir, "tmp", "stdin-"+rand.Text())
	}
	for up := filepath.Dir(s.dir); up != filepath.Dir(up); up = filepath.Dir(up) {
		if _, err := os.Lstat(up); !os.IsNotExist(err) {
			break
		}
		s.missing = append(s.missing, up)
	}
	spools.Lock()
	defer spools.Unlock()
	spools.open[s] = true
	return s
}

// remove removes the copies.
func (s *spool) remove() error {
	spools.Lock()
	defer spools.Unlock()
	delete(spools.open, s)
	return os.RemoveAll(s.dir)
}

// undo removes the copies and the folders that were made for them.
func (s *spool) undo() {
	s.remove()
	for _, dir := range s.missing {
		os.Remove(dir) // unless it holds something by now
	}
}

// RemoveSpools removes the copies of standard input: for a process that is
// about to end while it reads.
func RemoveSpools() {
	spools.Lock()
	var open []*spool
	for s := range spools.open {
		open = append(open, s)
	}
	spools.Unlock()
	for _, s := range open {
		s.undo()
	}
}

package pipeline

import (
	"context"
	"fmt"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/store"
)

// A Standing is how much of a run is done, as far as the names of its files
// tell.
type Standing struct {
	Parts int   // finished
	Bytes int64 // of stored input in them
}

// Standing looks at what the output holds now. It asks the store for the names
// in one folder; what it cannot see counts as not done.
func (p *Prepared) Standing(ctx context.Context) Standing {
	var s Standing
	folder := store.Join(p.Job.Output, "trees")
	for info, err := range store.List(ctx, folder) {
		if err != nil {
			break
		}
		name := store.Within(folder, info.Name)
		var k int
		if _, err := fmt.Sscanf(name, "part-%d-of-", &k); err != nil || !output.IsPart(name, p.Job.FP) || k < 0 || k >= len(p.sizes) {
			continue
		}
		s.Parts++
		s.Bytes += p.sizes[k]
	}
	return s
}

// Here reports whether the stages run in this process, so that
// transforms.Progress counts them.
func (p *Prepared) Here() bool { return p.here }

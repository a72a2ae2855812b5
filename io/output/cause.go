package output

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"time"

	"github.com/treebeam/treebeam/io/store"
)

// A Cause is why a run has failed. A worker writes it into the output before it returns
// its error to the engine, because engines pass errors on as text, with many lines of
// their own. The process that started the run reads it there.
type Cause struct {
	Range   int    `json:"range"` // -1: it is not about one range
	Kind    string `json:"kind"`
	Message string `json:"message"`
}

// Kinds of causes.
const (
	Failed  = "failed"
	Changed = "changed" // the input is not what was listed: running the same command again does not continue the run
)

const (
	maxCauses   = 100              // that are looked at
	maxMessage  = 16 << 10         // bytes
	causeWithin = 30 * time.Second // or the cause remains unwritten
)

func (r *Run) causes() string { return store.Join(r.Output, OwnDir, "failed") }

// WriteCause leaves the cause in the output, in the place of an earlier one of its range.
// It does nothing if it cannot, or if this machine does not see the output: then the
// engine's text has to do.
func (r *Run) WriteCause(ctx context.Context, c Cause) {
	if ctx.Err() != nil || r.CheckToken() != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, causeWithin)
	defer cancel()
	c.Message = Cut(c.Message, maxMessage)
	text, err := json.Marshal(c)
	if err != nil {
		panic(err) // plain data
	}
	WriteFile(ctx, r.Output, path.Join(OwnDir, "failed", fmt.Sprintf("%.16s-%010d.json", r.FP, c.Range+1)), text)
}

// FirstCause returns the first cause that the run's workers have left: one that is
// about no single range, or that of the first range that is not done. A range that is
// done now was retried with success, so it is not why the run has failed.
func (r *Run) FirstCause(ctx context.Context) (Cause, bool) {
	folder, looked := r.causes(), 0
	for info, err := range store.List(ctx, folder) {
		if looked++; err != nil || looked > maxCauses {
			break
		}
		if ours, _ := path.Match(fmt.Sprintf("%.16s-*.json", r.FP), store.Within(folder, info.Name)); !ours {
			continue
		}
		var c Cause
		text, err := store.ReadFile(ctx, info.Name)
		if err == nil && json.Unmarshal(text, &c) == nil && (c.Range < 0 || !r.Done(c.Range)) {
			return c, true
		}
	}
	return Cause{}, false
}

// ForgetCauses removes the causes of earlier attempts, if it can.
func (r *Run) ForgetCauses(ctx context.Context) { drop(ctx, r.causes()) }

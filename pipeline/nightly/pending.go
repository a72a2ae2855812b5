package nightly

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/pipeline"
)

// planRuns assigns the files to be parsed to runs. It reuses the work of interrupted
// nights:
//
//   - An interrupted run continues under its plan if all of its files are still to be
//     parsed and have not changed. A run that has lost parts makes these again.
//   - Any other run that no snapshot names gives the files that all its ranges have
//     finished and that have not changed.
//
// All other files make a new run. So every night makes progress, even if nights are
// interrupted again and again while the input changes.
func (n *Night) planRuns(ctx context.Context) error {
	tails := map[string]int64{}
	for i := range n.copies {
		tails[n.copies[i].input.URI] = n.copies[i].before.To
	}
	todo := map[string]*source.Input{}
	for i := range n.Decisions {
		if d := &n.Decisions[i]; d.Reason.parsed() {
			in := *d.input
			in.Tail = tails[in.URI]
			todo[in.URI] = &in
		}
	}
	if len(todo) == 0 {
		return nil
	}
	var runs []string
	if n.options.Generation.looks() {
		var err error
		if runs, err = n.state.runs(ctx); err != nil {
			return &pipeline.Refusal{Err: err}
		}
	}
	number1, _ := n.base.next()
	for _, run := range runs {
		at, err := number(run)
		lost := n.Lost[run] != ""
		if err != nil || !lost && (at < number1-1 || n.base != nil && n.base.gone && at < number1 || n.base != nil && slices.Contains(n.base.Runs, run)) {
			continue // of the past, or current
		}
		if !n.resume(ctx, run, todo) && !lost && !(at < number1 && n.state.hasTails(ctx, run)) {
			n.Left = append(n.Left, run)
		}
	}
	if len(todo) == 0 {
		return nil
	}
	rest := make([]source.Input, 0, len(todo))
	for _, uri := range slices.Sorted(maps.Keys(todo)) {
		rest = append(rest, *todo[uri])
	}
	name := runName(number1, n.options.Generation.Window, runDigest(n.made, rest))
	left := len(n.Left)
	n.Left = slices.DeleteFunc(n.Left, func(run string) bool { return run == name })
	n.Runs = append(n.Runs, PlannedRun{Name: name, Files: len(rest), inputs: rest, rangeBytes: n.options.RangeBytes, retry: len(n.Left) < left})
	return nil
}

// hasTails reports whether a run has ended and holds only tails of files that have grown.
// No snapshot names such a run: its rows have been copied.
func (s *State) hasTails(ctx context.Context, run string) bool {
	existing, err := output.ReadExisting(ctx, s.runDir(run))
	if err != nil || !existing.Ended {
		return false
	}
	files, err := existing.Files()
	return err == nil && !slices.ContainsFunc(files, func(in source.Input) bool { return in.Tail == 0 })
}

// runDigest distinguishes the runs of one night: a digest of what is parsed, and how.
func runDigest(made output.Provenance, files []source.Input) string {
	text, err := json.Marshal(struct {
		Made  output.Provenance
		Files []source.Input
	}{made, files})
	if err != nil {
		panic(err) // plain data
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// resume removes from todo the files that the run has parsed, or will parse when it
// continues. It reports whether there were any.
func (n *Night) resume(ctx context.Context, run string, todo map[string]*source.Input) bool {
	existing, err := output.ReadExisting(ctx, n.state.runDir(run))
	if err != nil || existing.Provenance != n.made {
		return false
	}
	files, err := existing.Files()
	if err != nil {
		return false
	}
	same := func(in source.Input) bool {
		now, ok := todo[in.URI]
		return ok && now.DocID == in.DocID && now.Size == in.Size && now.Tail == in.Tail && now.Version == in.Version
	}
	lost := n.Lost[run] != ""
	if (!existing.Ended || lost) && !slices.ContainsFunc(files, func(in source.Input) bool { return !same(in) || !in.SamePlace(todo[in.URI]) }) {
		for _, in := range files {
			delete(todo, in.URI)
		}
		n.Runs = append(n.Runs, PlannedRun{Name: run, Files: len(files), Continued: true, inputs: files, rangeBytes: existing.Plan.RangeBytes})
		return true
	}
	if lost {
		return false // readers of the rest would meet the damage
	}
	docs, err := existing.Documents(ctx)
	if err != nil {
		return false
	}
	inputs := map[string]*source.Input{}
	for i := range files {
		if same(files[i]) {
			inputs[files[i].URI] = &files[i]
		}
	}
	var failed []*source.Input
	for _, d := range docs {
		if in := inputs[d.SourceURI]; in != nil && d.SourceVersion == "" {
			failed = append(failed, in)
		}
	}
	readable := n.readable(ctx, failed)
	for _, d := range docs {
		in, ok := inputs[d.SourceURI]
		if !ok || readable[d.SourceURI] { // one that could not be read is tried again
			continue
		}
		n.done(&d, in, run)
		delete(todo, d.SourceURI)
		n.TakenOver[run]++
	}
	return n.TakenOver[run] > 0
}

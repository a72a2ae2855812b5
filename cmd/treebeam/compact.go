package main

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"github.com/treebeam/treebeam/pipeline/nightly"
)

const compactAbout = `
Copies the current rows of all runs of a state into one run, and makes a snapshot of it
the current one. Rows that are not current are left behind. Nothing is removed without
--prune, which removes all snapshots but the last ones (--keep) and the runs that these
do not name.`

// newCompact is treebeam compact.
func newCompact() *cobra.Command {
	cmd := newCommand("compact --state FOLDER", "merge the runs of a state into one", compactAbout)
	fs := cmd.Flags()
	state := fs.String("state", "", "`FOLDER` of the state")
	prune := fs.Bool("prune", false, "then remove whatever no kept snapshot needs")
	keep := fs.Int("keep", 2, "with --prune: keep the last `N` snapshots, and what they need")
	cmd.Example = `
  treebeam compact --state state --prune`
	cmd.RunE = stoppable(func(ctx context.Context, others []string) error {
		switch {
		case *state == "" || len(others) > 0:
			return refuse("give --state FOLDER and nothing else")
		case *keep < 1:
			return refuse("--keep %d: must be at least 1, the current snapshot", *keep)
		}
		defer onInterrupt(continues)()
		done, err := nightly.Compact(ctx, nightly.CompactOptions{State: *state})
		if err != nil {
			return err
		}
		if done.Run == "" {
			say(os.Stderr, "nothing to merge: snapshot %s has all its rows in one run\n", done.Snapshot.Name)
		} else {
			say(os.Stderr, "%d runs are merged into %s; snapshot %s of %d documents is current\n",
				done.Merged, done.Run, done.Snapshot.Name, done.Snapshot.Documents)
		}
		if !*prune {
			return nil
		}
		removed, err := nightly.Prune(ctx, *state, *keep)
		for _, name := range removed {
			say(os.Stderr, "removed %s\n", name)
		}
		return err
	})
	return cmd
}

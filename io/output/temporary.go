package output

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/treebeam/treebeam/io/store"
)

// staleAfter is the age at which temporary files of runs that were killed
// are removed.
const staleAfter = 24 * time.Hour

// Sweep removes temporary files that a killed run left in output more than a day ago.
// The files of live runs, on any machine, are younger.
func Sweep(output string, now time.Time) {
	dir := tmpDir(output)
	if dir == "" {
		return
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && now.Sub(info.ModTime()) > staleAfter {
			os.RemoveAll(filepath.Join(dir, e.Name()))
		}
	}
}

// drop removes a folder of files that a complete output no longer needs: which of them
// exist is a matter of luck. It is not an error if it cannot remove them.
func drop(ctx context.Context, folder string) {
	for range inOrder(ctx, store.List(ctx, folder), func(info store.Info) (bool, error) {
		return true, store.Delete(ctx, info.Name)
	}) {
	}
	if !store.IsRemote(folder) {
		os.Remove(folder)
	}
}

// tmpDir holds files that are being written: it is on the output's file
// system, so that a rename publishes them. Object stores have none, "".
func tmpDir(output string) string {
	if store.IsRemote(output) {
		return ""
	}
	return filepath.Join(output, OwnDir, "tmp")
}

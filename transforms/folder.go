package transforms

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/io/store"
)

// Names in an output folder.
const (
	OwnDir       = source.OwnDir // plans, temporary files, copied models
	SummaryFile  = "summary.json"
	ManifestFile = "manifest.json"
)

// staleAfter is the age at which temporary files of runs that were killed
// are removed.
const staleAfter = 24 * time.Hour

// Sweep removes temporary files that a killed run left in output more than a
// day ago.
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

// tmpDir holds files that are being written: it is on the output's file
// system, so that a rename publishes them. Object stores have none, "".
func tmpDir(output string) string {
	if store.IsRemote(output) {
		return ""
	}
	return filepath.Join(output, OwnDir, "tmp")
}

// WriteFile writes the file name in the output folder, all of it or nothing.
func WriteFile(ctx context.Context, output, name string, data []byte) error {
	return store.WriteFile(ctx, store.Join(output, name), data, store.Options{Expect: store.Anything, Temp: tmpDir(output)})
}

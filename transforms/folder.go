package transforms

import (
	"os"
	"path/filepath"
	"time"

	"github.com/google/renameio/v2"
)

// Names in an output folder.
const (
	OwnDir       = "_treebeam" // plans, temporary files, copied models
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
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && now.Sub(info.ModTime()) > staleAfter {
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// tmpDir holds files that are being written: it is on the output's file
// system, so that a rename publishes them.
func tmpDir(output string) string { return filepath.Join(output, OwnDir, "tmp") }

// WriteFile writes the file name in the output folder, all of it or nothing.
func WriteFile(output, name string, data []byte) error {
	return renameio.WriteFile(filepath.Join(output, name), data, 0o644, renameio.WithTempDir(tmpDir(output)))
}

package pipeline

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/io/store"
)

// manyFiles in the environment makes TestManyFiles do its work, for so many files.
const manyFiles = "TREEBEAM_TEST_FILES"

// memoryOfManyFiles is what the plan and the end of a run may take from the system for
// 200,000 tiny files, 95 MB of which the program takes when it starts. A row for each
// file in memory would be more; a million files must take less than 400 MB.
const memoryOfManyFiles = 300 << 20

// The plan and the end of a run hold no row for every file. The run is a process of its
// own, whose peak is measured; its ranges are written without being parsed. With a number
// in TREEBEAM_TEST_FILES, it is that process.
func TestManyFiles(t *testing.T) {
	if n, err := strconv.Atoi(os.Getenv(manyFiles)); err == nil {
		planAndFinish(t, n)
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestManyFiles$", "-test.v")
	cmd.Env = append(os.Environ(), manyFiles+"=200000", "GOMAXPROCS=2", "GOGC=100", "GOMEMLIMIT=")
	text, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	t.Logf("%s", text)
	m := regexp.MustCompile(`finished: VmHWM:\s+(\d+) kB`).FindSubmatch(text)
	if m == nil {
		t.Fatal("it does not say what it took")
	}
	if n, _ := strconv.Atoi(string(m[1])); n<<10 > memoryOfManyFiles {
		t.Errorf("it took %d MB", n>>10)
	}
}

// A crowd is a store of so many tiny files.
type crowd struct {
	store.Store
	files int
}

func (c crowd) info(i int) store.Info {
	return store.Info{Name: fmt.Sprintf("crowd://bucket/corpus/of/notes/%03d/note-number-%09d.txt", i/10_000, i), Size: 20, Version: fmt.Sprintf("g%016d", i)}
}

func (c crowd) List(_ context.Context, prefix string) iter.Seq2[store.Info, error] {
	return func(yield func(store.Info, error) bool) {
		for i := range c.files {
			if !yield(c.info(i), nil) {
				return
			}
		}
	}
}

func (c crowd) Stat(context.Context, string) (store.Info, error) { return store.Info{}, fs.ErrNotExist }

func (c crowd) Open(context.Context, string, string, int64, int64) (io.ReadCloser, error) {
	return nil, fs.ErrPermission
}

func planAndFinish(t *testing.T, files int) {
	store.Register("crowd", func(context.Context) (store.Store, error) { return crowd{files: files}, nil })
	peak := func(what string) {
		status, err := os.ReadFile("/proc/self/status")
		must(t, err)
		for line := range strings.Lines(string(status)) {
			if strings.HasPrefix(line, "VmHWM") {
				fmt.Printf("%s: %s", what, line)
			}
		}
	}
	peak("start")
	p := prepared(t, options("crowd://bucket/corpus", filepath.Join(t.TempDir(), "out")))
	peak("planned")
	for r, err := range source.PlanRanges(t.Context(), p.Job.PlanPath()) {
		must(t, err)
		parts, err := p.Job.Open(t.Context(), r.K)
		must(t, err)
		var ends []output.File
		for i, piece := range r.Pieces {
			ends = append(ends, output.File{
				Piece: i, DocID: piece.DocID, URI: piece.URI, Format: "text", Lines: "wrapped", Encoding: "utf-8", Stored: piece.Size,
				End: piece.Size, EOF: true, Sum: &source.Sum{To: piece.Size, CRC: uint64(r.K*i) * 0x9e3779b97f4a7c15},
			})
		}
		must(t, parts.Commit(ends))
	}
	peak("written")
	must(t, p.Job.Finish(t.Context(), true, nil))
	peak("finished")
	m, err := output.Check(t.Context(), p.Job.Output)
	must(t, err)
	documents, last := 0, ""
	for d, err := range parquet.Parts[parquet.Document](m.Parts(p.Job.Output, "documents")) {
		if err != nil || d.SourceURI <= last {
			t.Fatalf("%s after %s, %v", d.SourceURI, last, err)
		}
		documents, last = documents+1, d.SourceURI
	}
	if documents != files || p.Files != files || p.Job.Ranges != (files+source.MaxPack-1)/source.MaxPack {
		t.Errorf("%d documents of %d files in %d ranges", documents, p.Files, p.Job.Ranges)
	}
	peak("read")
}

// A folder of CoNLL files may have a pipe, a hidden file and a link to a folder with their ending.
func TestFilesIn(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	must(t, os.WriteFile(in("a.conllu"), nil, 0o644), os.WriteFile(in("._a.conllu"), nil, 0o644), syscall.Mkfifo(in("b.conllu"), 0o600), os.Symlink(dir, in("c.conllu")))
	if got, want := FilesIn(dir), []string{in("a.conllu")}; !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
}

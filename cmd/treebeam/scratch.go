package main

import (
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"

	"github.com/gofrs/flock"
)

// scratch is this process's folder for temporary files while a pipeline runs.
var scratch struct {
	sync.Mutex
	dir   string
	ended bool // the process is about to end
}

// openScratch makes the folder and lets all temporary files go there until
// close is called, which removes it with what was left in it. Its
// errors are refusals.
func openScratch() (close func(), err error) {
	scratch.Lock()
	defer scratch.Unlock()
	if scratch.ended {
		select {}
	}
	room := roomForFiles(runFiles + 1)
	if room < runFiles {
		return nil, refuse("a run opens at least %d files at once, but only %d more can be opened: raise the limit (ulimit -n)", runFiles, room)
	}
	sweepScratch(os.TempDir())
	dir, err := os.MkdirTemp("", scratchPrefix+"*")
	if err != nil {
		return nil, refuse("temporary files cannot be made: %w; let %s name a folder that can be written", err, tempVariables()[0])
	}
	lock := flock.New(filepath.Join(dir, scratchLock))
	if room > runFiles {
		holdScratch(lock)
	}
	before := os.TempDir()
	setTemp := func(dir string) {
		for _, name := range tempVariables() {
			os.Setenv(name, dir)
		}
	}
	setTemp(dir)
	scratch.dir = dir
	return func() {
		setTemp(before)
		scratch.Lock()
		defer scratch.Unlock()
		lock.Close()
		os.RemoveAll(scratch.dir)
		scratch.dir = ""
	}, nil
}

// scratchPrefix begins the names of these folders.
const scratchPrefix = "treebeam-"

// scratchLock is the lock in such a folder: a hidden file, for the folder may be in
// one of the input.
const scratchLock = ".lock"

// runFiles is how many files and connections a run of one part has open at once, in
// addition to the process's. With fewer, Beam's servers would wait for ever until they
// can accept a connection.
const runFiles = 16

// roomForFiles says how many files can be opened now, at most n. It opens pipes,
// which need no file system: an image may have no /dev.
func roomForFiles(n int) int {
	for i := 0; i < n; i += 2 {
		r, w, err := os.Pipe()
		if err != nil {
			return i
		}
		defer r.Close()
		defer w.Close()
	}
	return n
}

// holdScratch locks a folder, as long as this process lives, against sweepScratch. On
// systems without locks, nothing sweeps it.
func holdScratch(lock *flock.Flock) {
	if held, err := lock.TryLock(); err == nil && held {
		os.Mkdir(filepath.Join(filepath.Dir(lock.Path()), scratchMark()), 0o700)
	}
}

// scratchMark is the name in a folder that says: it was locked, on this machine.
// Another machine that shares the disk may not see the lock.
func scratchMark() string {
	host, _ := os.Hostname()
	return "on-" + url.PathEscape(host)
}

// sweepScratch removes the folders in tmp of killed processes on this machine: their
// marks are still there, but the kernel has dropped their locks.
func sweepScratch(tmp string) {
	entries, _ := os.ReadDir(tmp)
	for _, e := range entries {
		dir := filepath.Join(tmp, e.Name())
		if !e.IsDir() || !strings.HasPrefix(e.Name(), scratchPrefix) {
			continue
		}
		if _, err := os.Lstat(filepath.Join(dir, scratchMark())); err != nil {
			continue
		}
		lock := flock.New(filepath.Join(dir, scratchLock), flock.SetFlag(os.O_RDWR|syscall.O_NONBLOCK))
		free, err := lock.TryLock()
		lock.Close()
		if err == nil && free {
			os.RemoveAll(dir)
		}
	}
}

// removeScratch removes the folder, if there is one, for a process that is
// about to end.
func removeScratch() {
	scratch.Lock()
	defer scratch.Unlock()
	scratch.ended = true
	for range 3 { // a file may be made in it meanwhile
		if scratch.dir == "" || os.RemoveAll(scratch.dir) == nil {
			return
		}
	}
}

// tempVariables are the environment variables that os.TempDir reads.
func tempVariables() []string {
	if runtime.GOOS == "windows" {
		return []string{"TMP", "TEMP"}
	}
	return []string{"TMPDIR"}
}

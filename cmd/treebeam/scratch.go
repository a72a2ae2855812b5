package main

import (
	"os"
	"runtime"
	"sync"
)

// scratch is this process's folder for temporary files while a pipeline runs.
var scratch struct {
	sync.Mutex
	dir   string
	ended bool // the process is about to end
}

// openScratch makes the folder and lets all temporary files go there until
// close is called, which removes it: Beam leaves one behind for every run. Its
// errors are refusals.
func openScratch() (close func(), err error) {
	scratch.Lock()
	defer scratch.Unlock()
	if scratch.ended {
		select {}
	}
	dir, err := os.MkdirTemp("", "treebeam-*")
	if err != nil {
		return nil, refuse("temporary files cannot be made: %w; let %s name a folder that can be written", err, tempVariables()[0])
	}
	var before []string
	for _, name := range tempVariables() {
		before = append(before, os.Getenv(name))
		os.Setenv(name, dir)
	}
	scratch.dir = dir
	return func() {
		for i, name := range tempVariables() {
			if before[i] == "" {
				os.Unsetenv(name)
			} else {
				os.Setenv(name, before[i])
			}
		}
		scratch.Lock()
		defer scratch.Unlock()
		os.RemoveAll(scratch.dir)
		scratch.dir = ""
	}, nil
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

// tempVariables are those in which os.TempDir looks.
func tempVariables() []string {
	if runtime.GOOS == "windows" {
		return []string{"TMP", "TEMP"}
	}
	return []string{"TMPDIR"}
}

package main

import (
	"os"
	"runtime"
	"sync"
)

// scratch is this process's folder for temporary files while a pipeline runs.
var scratch struct {
	sync.Mutex
	dir string
}

// openScratch makes the folder and lets all temporary files go there until
// close is called, which removes it: Beam leaves one behind for every run. Its
// errors are refusals.
func openScratch() (close func(), err error) {
	dir, err := os.MkdirTemp("", "treebeam-*")
	if err != nil {
		return nil, refuse("temporary files cannot be made: %w; let %s name a folder that can be written", err, tempVariables()[0])
	}
	var before []string
	for _, name := range tempVariables() {
		before = append(before, os.Getenv(name))
		os.Setenv(name, dir)
	}
	scratch.Lock()
	scratch.dir = dir
	scratch.Unlock()
	return func() {
		for i, name := range tempVariables() {
			if before[i] == "" {
				os.Unsetenv(name)
			} else {
				os.Setenv(name, before[i])
			}
		}
		removeScratch()
	}, nil
}

// removeScratch removes the folder, if there is one: for a process that is
// about to end, too.
func removeScratch() {
	scratch.Lock()
	defer scratch.Unlock()
	if scratch.dir != "" {
		os.RemoveAll(scratch.dir)
		scratch.dir = ""
	}
}

// tempVariables are those in which os.TempDir looks.
func tempVariables() []string {
	if runtime.GOOS == "windows" {
		return []string{"TMP", "TEMP"}
	}
	return []string{"TMPDIR"}
}

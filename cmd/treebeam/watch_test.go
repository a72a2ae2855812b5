package main

import (
	"testing"

	"github.com/treebeam/treebeam/io/source"
)

// A backlog is parsed in generations that take less than a minute each.
func TestInGeneration(t *testing.T) {
	files := make([]source.Input, generationFiles+5)
	if n := inGeneration(files, true); n != generationFiles {
		t.Errorf("%d files", n)
	}
	for i := range files {
		files[i].Size = generationBytes/4 + 1
	}
	if n := inGeneration(files, true); n != 3 {
		t.Errorf("%d files of a quarter", n)
	}
	if n := inGeneration(files, false); n < 300 {
		t.Errorf("%d files of a quarter, on an engine", n)
	}
	files[0].Size = 1 << 40
	if n := inGeneration(files, true); n != 1 {
		t.Errorf("%d files of which the first is large", n)
	}
}

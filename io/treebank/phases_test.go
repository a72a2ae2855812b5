package treebank

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPhasesAreKeptUntilAsked(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "m.tbm.train")
	p, err := OpenPhases(dir, false)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := p.Load("tagger"); ok {
		t.Error("a new folder holds a phase")
	}
	for _, text := range []string{"first", "second"} {
		if err := p.Save("tagger", []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := OpenPhases(dir, false); err == nil || !strings.Contains(err.Error(), "--resume") {
		t.Errorf("an earlier training's phases: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".encoder.epoch.phase123"), []byte("half of"), 0o644); err != nil { // by a training that was killed
		t.Fatal(err)
	}
	p, err = OpenPhases(dir, true)
	if err != nil {
		t.Fatal(err)
	}
	if data, ok := p.Load("tagger"); !ok || !bytes.Equal(data, []byte("second")) {
		t.Errorf("phase = %q, %t", data, ok)
	}
	if err := p.Remove(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the folder is still there: %v", err)
	}
	if _, err := OpenPhases(filepath.Join(t.TempDir(), "file", "x"), true); err != nil {
		t.Errorf("a folder in a new folder: %v", err)
	}
}

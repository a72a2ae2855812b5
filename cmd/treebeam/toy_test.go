package main

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// toyFolder holds what trainedToy makes; TestMain removes it.
var toyFolder string

func TestMain(m *testing.M) {
	status := m.Run()
	if toyFolder != "" {
		os.RemoveAll(toyFolder)
	}
	os.Exit(status)
}

var trainToy = sync.OnceValues(func() (path string, err error) {
	if toyFolder, err = os.MkdirTemp("", "treebeam-toy-*"); err != nil {
		return "", err
	}
	path = filepath.Join(toyFolder, "toy.tbm")
	return path, runTrain(context.Background(), []string{"--train", toyTrain, "--dev", toyDev, "--model", path,
		"--folds", "2", "--licence", "none", "--release", "1"})
})

// trainedToy is a model trained on the ten sentences of toyTrain, for tests
// that need a whole parser but not the embedded one. It is trained once.
func trainedToy(t *testing.T) string {
	t.Helper()
	path, err := trainToy()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

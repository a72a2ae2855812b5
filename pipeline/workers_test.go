package pipeline

import (
	"errors"
	"strings"
	"testing"
)

func TestWorkerBinary(t *testing.T) {
	self := func() (string, error) { return "/opt/treebeam", nil }
	if name, err := workerBinary("linux", "arm64", self); err != nil || name != "/opt/treebeam" {
		t.Errorf("on linux: %q, %v", name, err)
	}
	if _, err := workerBinary("darwin", "arm64", self); err == nil ||
		!strings.Contains(err.Error(), "darwin/arm64") || !strings.Contains(err.Error(), "--worker_binary") {
		t.Errorf("on macOS: %v", err)
	}
	lost := func() (string, error) { return "", errors.New("no such path") }
	if _, err := workerBinary("linux", "amd64", lost); err == nil || !strings.Contains(err.Error(), "--worker_binary") {
		t.Errorf("without a path: %v", err)
	}
}

package output

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestToken(t *testing.T) {
	out := t.TempDir()
	if err := os.Mkdir(filepath.Join(out, OwnDir), 0o755); err != nil {
		t.Fatal(err)
	}
	first, err := PlaceToken(out)
	if err != nil {
		t.Fatal(err)
	}
	second, err := PlaceToken(out)
	if err != nil || second != first {
		t.Fatalf("a second run got token %q, %v; the first had %q", second, err, first)
	}
	job := Run{Output: out, Token: first}
	if err := job.CheckToken(); err != nil {
		t.Error(err)
	}
	elsewhere := Run{Output: t.TempDir(), Token: first}
	if err := elsewhere.CheckToken(); err == nil || !strings.Contains(err.Error(), "does not see the output folder") {
		t.Errorf("a worker without the folder: %v", err)
	}
	if err := os.WriteFile(filepath.Join(out, OwnDir, TokenFile), []byte("another token, as long as ours\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := job.CheckToken(); err == nil || !strings.Contains(err.Error(), "another folder under the same path") {
		t.Errorf("a worker with a folder of its own: %v", err)
	}
	if err := os.WriteFile(filepath.Join(out, OwnDir, TokenFile), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := PlaceToken(out); err == nil || !strings.Contains(err.Error(), "remove it") {
		t.Errorf("an empty token file: %v", err)
	}
}

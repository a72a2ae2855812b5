package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// documented are the reasons that docs/failures.md explains.
var documented = sync.OnceValues(func() (list []string, err error) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "failures.md"))
	if err != nil {
		return nil, err
	}
	for _, line := range strings.Split(string(page), "\n") {
		cells := strings.Split(line, "|")
		if len(cells) < 5 || !strings.Contains(cells[2], "`") {
			continue
		}
		for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[2], -1) {
			list = append(list, m[1])
		}
	}
	return list, nil
})

// checkDocumented fails on a reason of a row that docs/failures.md does not
// explain.
func checkDocumented(t *testing.T, reason string) {
	t.Helper()
	list, err := documented()
	if err != nil || len(list) < 20 {
		t.Fatalf("docs/failures.md explains %d reasons, %v", len(list), err)
	}
	for _, known := range list {
		if strings.Contains(reason, known) {
			return
		}
	}
	t.Errorf("docs/failures.md does not explain %q", reason)
}

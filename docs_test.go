package treebeam

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What the manual may grow to, in words as wc -w counts them.
const (
	maxManual = 36000
	maxReadme = 1300
)

// pages returns the Markdown files that the patterns match, with their texts.
func pages(t *testing.T, patterns ...string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, pattern := range patterns {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: %v, %v", pattern, names, err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			all[filepath.ToSlash(name)] = string(text)
		}
	}
	return all
}

func TestManualIsShort(t *testing.T) {
	words := 0
	for name, text := range pages(t, "README.md", "docs/*.md") {
		n := len(strings.Fields(text))
		if words += n; name == "README.md" && n > maxReadme {
			t.Errorf("README.md has %d words, at most %d: move some to docs/", n, maxReadme)
		}
	}
	if words > maxManual {
		t.Errorf("README.md and docs/*.md have %d words, at most %d: state each fact once, move experiments to lab/notes", words, maxManual)
	}
}

var (
	fence   = regexp.MustCompile("(?ms)^ *```.*?^ *```")
	link    = regexp.MustCompile(`\]\(([^()\s]*)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	noSlug  = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	span    = regexp.MustCompile("`([^`\n]+)`")
	inRepo  = regexp.MustCompile(`^(?:cmd|parser|io|model|transforms|pipeline|python|lab|docs|\.ci)/[\w./*-]+$`)
)

// anchors returns the names that headings of a page have on a forge.
func anchors(text string) map[string]bool {
	all := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
		title := link.ReplaceAllString(m[1], "")
		slug := strings.ReplaceAll(noSlug.ReplaceAllString(strings.ToLower(title), ""), " ", "-")
		for i, name := 1, slug; ; i++ {
			if !all[name] {
				all[name] = true
				break
			}
			name = fmt.Sprintf("%s-%d", slug, i)
		}
	}
	return all
}

func TestLinksResolve(t *testing.T) {
	all := pages(t, "*.md", "docs/*.md", "model/*.md", "lab/*.md", "lab/notes/*.md")
	headings := map[string]map[string]bool{}
	for name, text := range all {
		headings[name] = anchors(text)
	}
	for name, text := range all {
		for _, m := range link.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
			if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
				continue
			}
			file, anchor, anchored := strings.Cut(m[1], "#")
			to := name
			if file != "" {
				to = path.Join(path.Dir(name), file)
			}
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s: link to %s: there is no %s", name, m[1], to)
			} else if anchored && !headings[to][anchor] {
				t.Errorf("%s: link to %s: %s has no such heading", name, m[1], to)
			}
		}
	}
}

func TestNamedPathsExist(t *testing.T) {
	for name, text := range pages(t, "README.md", "CONTRIBUTING.md", "SECURITY.md", "docs/*.md") {
		for _, m := range span.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
			if !inRepo.MatchString(m[1]) {
				continue
			}
			if found, err := filepath.Glob(strings.TrimSuffix(m[1], "/")); err != nil || len(found) == 0 {
				t.Errorf("%s names %s, which does not exist", name, m[1])
			}
		}
	}
}

// .ci/run names every page with blocks that can be run.
func TestExamplesRun(t *testing.T) {
	steps, err := os.ReadFile(".ci/run")
	if err != nil {
		t.Fatal(err)
	}
	runs := regexp.MustCompile("(?m)^```(?:sh|sql|python)$")
	for name, text := range pages(t, "README.md", "docs/*.md") {
		if runs.MatchString(text) && !strings.Contains(string(steps), name) {
			t.Errorf("%s has examples, but .ci/run does not run them", name)
		}
	}
}

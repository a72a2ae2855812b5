//go:build unix

package scale

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// corpus writes about so many bytes of text below dir: copies of the .txt files
// of the folder from, no two of them alike. It returns what it has written.
func corpus(from, dir string, limit int64) (written int64, err error) {
	names, err := filepath.Glob(filepath.Join(from, "*.txt"))
	if err != nil {
		return 0, err
	}
	if len(names) == 0 {
		return 0, fmt.Errorf("no .txt files in %s: name a folder of text with -text", from)
	}
	texts := make([][]string, len(names))
	for i, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return 0, err
		}
		texts[i] = strings.SplitAfter(string(data), "\n")
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return 0, err
	}
	for round := 0; written < limit; round++ {
		n, err := copyOf(texts, names, dir, round, limit-written)
		if err != nil {
			return 0, err
		}
		written += n
	}
	return written, nil
}

// copyOf writes copy number round of the texts, until it has limit bytes: one
// file if round is odd, else a file for every text.
func copyOf(texts [][]string, names []string, dir string, round int, limit int64) (written int64, err error) {
	var whole strings.Builder
	for i, lines := range texts {
		if written >= limit {
			break
		}
		at := round * 7 % len(lines)
		text := fmt.Sprintf("This is copy %d of text %d.\n\n", round, i) +
			strings.Join(lines[at:], "") + "\n\n" + strings.Join(lines[:at], "") + "\n\n"
		written += int64(len(text))
		if round%2 == 1 {
			whole.WriteString(text)
			continue
		}
		name := filepath.Join(dir, fmt.Sprintf("%03d-%s", round, filepath.Base(names[i])))
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			return 0, err
		}
	}
	if whole.Len() == 0 {
		return written, nil
	}
	return written, os.WriteFile(filepath.Join(dir, fmt.Sprintf("%03d.txt", round)), []byte(whole.String()), 0o666)
}

package source

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// An exclusion is a pattern of files and folders that are not listed. One with a
// slash is that of a path, as the path is written or below the folder that is
// listed; one without is that of a name anywhere.
type exclusion struct {
	pattern string
	isPath  bool
}

// exclusions reads the patterns of ListOptions.Exclude.
func exclusions(patterns []string) ([]exclusion, error) {
	var all []exclusion
	for _, p := range patterns {
		e := strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(p), "./"), "/")
		if e == "" || !doublestar.ValidatePattern(e) {
			return nil, &InputError{fmt.Sprintf("--exclude %q", p), "is not a valid pattern; write it as for --input, in quotes"}
		}
		all = append(all, exclusion{e, strings.Contains(e, "/")})
	}
	return all, nil
}

// excludes says whether the file or folder p itself, which was found below root,
// is excluded. Names of root and above do not count, only paths.
func (l *lister) excludes(root, p string) bool {
	below := root == "." || len(p) > len(root)
	name := p[strings.LastIndexByte(p, '/')+1:]
	for _, e := range l.exclude {
		switch {
		case e.isPath && (doublestar.MatchUnvalidated(e.pattern, p) || below && doublestar.MatchUnvalidated(e.pattern, relative(root, p))):
		case !e.isPath && below && name != ".." && doublestar.MatchUnvalidated(e.pattern, name):
		default:
			continue
		}
		l.excluded++
		return true
	}
	return false
}

// excludesAny says whether p or a folder that it is in is excluded.
func (l *lister) excludesAny(root, p string) bool {
	if len(l.exclude) == 0 {
		return false
	}
	for i := 1; i < len(p); i++ {
		if p[i] == '/' && l.excludes(root, p[:i]) {
			return true
		}
	}
	return l.excludes(root, p)
}

package source

import (
	"errors"
	"fmt"
	"math/bits"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Characters of patterns.
const (
	wild     = "*?[{"     // make a pattern of a name
	wildOnly = wild + `\` // or end what all names that it takes begin with
)

// maxSegments bounds the segments of a pattern after its fixed folders.
const maxSegments = 63

// A glob is a pattern of paths below a folder, cut into segments. A segment "**"
// matches any number of folders; any other segment matches as in doublestar.Match: *
// and ?, [a-z] and [!a-z], {a,b}. Only a segment that says so matches names that begin
// with "." or "_". A folder matches with everything below it: the glob without segments
// matches a whole folder.
type glob []string

// newGlob returns the glob of some segments of the pattern p.
func newGlob(p string, segs []string) (glob, error) {
	segs = slices.CompactFunc(slices.Clone(segs), func(a, b string) bool { return a == "**" && b == "**" })
	if len(segs) > maxSegments {
		return nil, &InputError{p, fmt.Sprintf("has more than %d folders behind the first wildcard; name a folder", maxSegments)}
	}
	for _, s := range segs {
		if !doublestar.ValidatePattern(s) {
			return nil, &InputError{p, "is not a valid pattern: a [ has no ], or a { no }; a / cannot be between them"}
		}
	}
	return segs, nil
}

// splitPattern cuts a pattern into its leading segments without wildcards and the other
// segments.
func splitPattern(p string) (fixed, rest []string) {
	segs := strings.Split(p, "/")
	n := slices.IndexFunc(segs, isWild)
	if n < 0 {
		n = len(segs)
	}
	return segs[:n], segs[n:]
}

func isWild(s string) bool { return strings.ContainsAny(s, wild) }

// places are the segments of a glob that may match the next name of a path, as a set of
// bits. The place after the last segment is in the set if the path matches.
type places uint64

// start are the places of the first name.
func (g glob) start() places { return g.closure(1) }

// takes reports whether a path that leads to these places is taken.
func (g glob) takes(at places) bool { return at&(1<<len(g)) != 0 }

// closure adds the segments after segments that may match no name.
func (g glob) closure(at places) places {
	for i := range len(g) - 1 {
		if at&(1<<i) != 0 && g[i] == "**" {
			at |= 1 << (i + 1)
		}
	}
	return at
}

// step returns the places of g from which the name below name may continue.
func (g glob) step(at places, name string) (next places) {
	for ; at != 0; at &= at - 1 {
		i := bits.TrailingZeros64(uint64(at))
		switch {
		case i == len(g) && !isHidden(name):
			next |= 1 << i
		case i == len(g), isHidden(name) && !saysHidden(g[i], name[0]):
		case g[i] == "**" && i < len(g)-1:
			next |= 1 << i
		case g[i] == "**", doublestar.MatchUnvalidated(g[i], name):
			next |= 1 << (i + 1)
		}
	}
	return g.closure(next)
}

// isHidden reports whether a name is skipped in folders.
func isHidden(name string) bool { return name != "" && (name[0] == '.' || name[0] == '_') }

// saysHidden reports whether a segment names the first character of names that
// wildcards do not take.
func saysHidden(seg string, first byte) bool {
	return seg != "" && (seg[0] == first || seg[0] == '{' && (seg[1] == first || strings.Contains(seg, ","+string(first))))
}

// matches reports whether the pattern takes the file parts, whose last element is its
// name and the others its folders.
func (g glob) matches(parts []string) bool {
	at := g.start()
	for _, name := range parts {
		at = g.step(at, name)
	}
	return g.takes(at)
}

// A Pattern is a pattern of files and folders. A pattern with a slash matches a path, as
// the path is written or below the folder that is listed; a pattern without one matches
// a name anywhere.
type Pattern struct {
	pattern string
	isPath  bool
}

// ParsePattern reads a pattern with the wildcards of List.
func ParsePattern(p string) (Pattern, error) {
	e := strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(p), "./"), "/")
	if e == "" || !doublestar.ValidatePattern(e) {
		return Pattern{}, errors.New("is not a valid pattern; write it as for --input, in quotes")
	}
	return Pattern{e, strings.Contains(e, "/")}, nil
}

func (p Pattern) String() string { return p.pattern }

// Matches reports whether the pattern matches a file or a folder or archive that it is in.
// The ending of a compressed file may be left out: "*.csv" also matches x.csv.gz.
func (p Pattern) Matches(in *Input) bool {
	for _, name := range []string{in.DocID, in.URI} {
		if compressionOf(name) != plain && p.matchesPath(strings.TrimSuffix(name, path.Ext(name))) || p.matchesPath(name) {
			return true
		}
		if !p.isPath { // folders above the one that was named do not count
			break
		}
	}
	return false
}

func (p Pattern) matchesPath(name string) bool {
	begin := 0
	for i := range len(name) + 1 {
		if i < len(name) && name[i] != '/' {
			continue
		}
		part := name[begin:i]
		if i < len(name) {
			part = strings.TrimSuffix(part, "!") // of an archive
		}
		if doublestar.MatchUnvalidated(p.pattern, part) {
			return true
		}
		if !p.isPath {
			begin = i + 1
		}
	}
	return false
}

// exclusions reads the patterns of ListOptions.Exclude.
func exclusions(patterns []string) ([]Pattern, error) {
	var all []Pattern
	for _, p := range patterns {
		e, err := ParsePattern(p)
		if err != nil {
			return nil, &InputError{fmt.Sprintf("--exclude %q", p), err.Error()}
		}
		all = append(all, e)
	}
	return all, nil
}

// excludes reports whether the file or folder p itself, which was found below root,
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

// excludesAny reports whether p or a folder that it is in is excluded.
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

// unmatched is the error of a pattern that matches no file.
func (l *lister) unmatched(p string) error {
	if info, err := os.Stat(l.resolve(strings.TrimPrefix(p, "file://"))); err == nil && info.IsDir() {
		return &InputError{p, "is a folder without files, other than those whose names start with . or _; name another one"}
	}
	isPrefix := func(skip string) bool { return strings.HasPrefix(strings.TrimRight(p, "/")+"/", skip) }
	if slices.ContainsFunc(l.skipRemote, isPrefix) {
		return &InputError{p, "is in the output folder; name another --output"}
	}
	return &InputError{p, "matches no file; check the spelling, and that the names do not start with . or _"}
}

package source

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// join is a cheaper path.Join for paths that are clean.
func join(dir, name string) string {
	switch dir {
	case ".":
		return name
	case "/":
		return "/" + name
	}
	return dir + "/" + name
}

// relative returns p relative to the folder root above it.
func relative(root, p string) string {
	if root == "." {
		return p
	}
	return strings.TrimPrefix(strings.TrimPrefix(p, root), "/")
}

// idOf is the document id that is made of a name: in comments of CoNLL-U no
// character of it may end a line, for any reader.
func idOf(name string) string {
	return escape(name, func(r rune, size int) bool {
		return isInvalid(r, size) || unicode.IsControl(r) || r == '\u2028' || r == '\u2029'
	})
}

// escape writes the bytes of the characters of a file name that are bad as %XX.
func escape(s string, bad func(r rune, size int) bool) string {
	var b strings.Builder
	for s != "" {
		r, w := utf8.DecodeRuneInString(s)
		if bad(r, w) {
			for _, c := range []byte(s[:w]) {
				fmt.Fprintf(&b, "%%%02X", c)
			}
		} else {
			b.WriteString(s[:w])
		}
		s = s[w:]
	}
	return b.String()
}

func isInvalid(r rune, size int) bool { return r == utf8.RuneError && size == 1 }

// tellApart changes the ids and URIs that escape made where another file really has
// such a name: \xff.txt next to %FF.txt becomes %25FF.txt.
func (l *lister) tellApart() {
	uris, ids := map[string]int{}, map[string]int{}
	var escaped []*Input
	for i := range l.inputs {
		in := &l.inputs[i]
		uris[in.URI]++
		ids[in.DocID]++
		if in.Path != "" || !strings.HasSuffix(in.URI, in.DocID) {
			escaped = append(escaped, in)
		}
	}
	slices.SortFunc(escaped, func(a, b *Input) int { return cmp.Or(cmp.Compare(a.URI, b.URI), cmp.Compare(a.Path, b.Path)) })
	again := func(name *string, seen map[string]int) {
		for seen[*name] > 1 {
			seen[*name]--
			*name = strings.ReplaceAll(*name, "%", "%25")
			seen[*name]++
		}
	}
	for _, in := range escaped {
		if strings.Contains(in.DocID, "%") && in.Version != LiveVersion {
			again(&in.DocID, ids)
			if in.Path != "" {
				again(&in.URI, uris)
			}
		}
	}
}

// distinctIDs returns an error if two inputs have the same document id.
func distinctIDs(inputs []Input) error {
	byID := make(map[string]int, len(inputs))
	for i := range inputs {
		id := inputs[i].DocID
		if j, ok := byID[id]; ok {
			return &InputError{inputs[i].URI, fmt.Sprintf(
				"has the same document id %q as %s; name one folder that holds both, or parse them into two outputs", id, inputs[j].URI)}
		}
		byID[id] = i
	}
	return nil
}

// Package mirror writes a tree of files that mirrors a tree of documents, one
// file a document, whatever the documents are called: no name leads out of the
// folder, no two documents share a file, and nothing that was there is replaced
// unless that is wanted.
package mirror

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// maxName is the longest name of a file or folder that we write, in bytes. Most
// file systems allow 255; a few bytes are left for the numbers of Names.
const maxName = 240

// Names returns a path for each document, relative, with slashes, ending in
// extension, such as ".conllu". It is the document's id with the extension
// appended unless it is there, except for:
//
//   - what leads nowhere or elsewhere (empty names, "." and "..", a slash at the
//     beginning), characters that a name cannot have here, and control
//     characters: as %XX, byte by byte;
//   - names over 240 bytes: their beginning, "~" and 8 digits of their SHA-256;
//   - a document whose path another one before it has, or a folder, case and
//     Unicode normal form not counted, since not every file system tells these
//     apart: "~2", "~3" and so on before the extension.
//
// The paths depend on the ids and their order only. Ids may repeat.
func Names(ids []string, extension string) []string {
	names := make([]string, len(ids))
	taken := make(map[string]bool, len(ids)) // folded paths of folders and of files so far
	fold := cases.Fold()
	key := func(name string) string { return fold.String(norm.NFC.String(name)) }
	for i, id := range ids {
		parts := strings.Split(strings.TrimSuffix(id, extension), "/")
		last := len(parts) - 1
		for k := range parts {
			room := maxName
			if k == last {
				room -= len(extension)
			}
			parts[k] = shorten(escape(parts[k]), room)
			if k < last {
				taken[key(strings.Join(parts[:k+1], "/"))] = true
			}
		}
		names[i] = strings.Join(parts, "/")
	}
	for i, name := range names {
		free := name + extension
		for n := 2; taken[key(free)]; n++ {
			free = fmt.Sprintf("%s~%d%s", name, n, extension)
		}
		taken[key(free)] = true
		names[i] = free
	}
	return names
}

// escape makes one part of a path a name that is local and printable.
func escape(part string) string {
	if part == "" {
		return "%"
	}
	var b strings.Builder
	for i, r := range part {
		_, size := utf8.DecodeRuneInString(part[i:])
		switch {
		case r < ' ' || r >= 0x7f && r < 0xa0 || r == utf8.RuneError && size == 1 || forbidden(r):
			for _, c := range []byte(part[i : i+size]) {
				fmt.Fprintf(&b, "%%%02X", c)
			}
		default:
			b.WriteString(part[i : i+size])
		}
	}
	if name := b.String(); name != "." && name != ".." && filepath.IsLocal(name) {
		return name
	}
	return fmt.Sprintf("%%%02X", part[0]) + b.String()[1:] // "..", or a device of Windows
}

// forbidden says whether a name cannot have r where paths have backslashes.
func forbidden(r rune) bool {
	return filepath.Separator == '\\' && strings.ContainsRune(`<>:"\|?*`, r)
}

// shorten cuts a name to at most room bytes.
func shorten(name string, room int) string {
	if len(name) <= room {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	end := room - 9
	for !utf8.RuneStart(name[end]) {
		end--
	}
	return name[:end] + "~" + hex.EncodeToString(sum[:4])
}

package main

import (
	"bytes"
	"crypto/md5"
	"fmt"
	"io"
	"path"
	"strings"
	"time"
)

// control is the description of the Debian package.
const control = `Package: treebeam
Version: %s
Architecture: %s
Maintainer: The treebeam developers <https://github.com/treebeam/treebeam>
Installed-Size: %d
Recommends: ca-certificates
Section: text
Priority: optional
Homepage: https://github.com/treebeam/treebeam
Description: dependency trees of Universal Dependencies from text
 treebeam segments, tags, lemmatizes and parses text, and says of every tag,
 head and tree how likely it is to be right. The models are in the program.
`

// debian writes the program with its texts as a Debian package. The bytes depend on the
// arguments only. Versions are those of the wheel, which Debian orders as Python does.
func debian(w io.Writer, version, arch string, program []byte, texts []file, when time.Time) error {
	data := []file{{name: "usr/bin/treebeam", mode: 0o755, data: program}}
	for _, t := range texts {
		name := t.name
		if name == license {
			name = "copyright"
		}
		data = append(data, file{name: "usr/share/doc/treebeam/" + name, mode: 0o644, data: t.data})
	}
	var sums strings.Builder
	size := 0
	for _, f := range data {
		fmt.Fprintf(&sums, "%x  %s\n", md5.Sum(f.data), f.name)
		size += len(f.data)
	}
	about := fmt.Appendf(nil, control, version, arch, (size+1023)/1024)
	var first, second bytes.Buffer
	if err := tarball(&first, []file{{"control", 0o644, about}, {"md5sums", 0o644, []byte(sums.String())}}, when); err != nil {
		return err
	}
	if err := tarball(&second, withFolders(data), when); err != nil {
		return err
	}
	return ar(w, []file{
		{name: "debian-binary", data: []byte("2.0\n")},
		{name: "control.tar.gz", data: first.Bytes()},
		{name: "data.tar.gz", data: second.Bytes()},
	}, when)
}

// withFolders puts the folders of files before them: dpkg wants each to be there.
func withFolders(files []file) (list []file) {
	known := map[string]bool{".": true}
	var add func(dir string)
	add = func(dir string) {
		if !known[dir] {
			known[dir] = true
			add(path.Dir(dir))
			list = append(list, file{name: dir + "/", mode: 0o755})
		}
	}
	for _, f := range files {
		add(path.Dir(f.name))
		list = append(list, f)
	}
	return list
}

// ar writes an archive of Unix's ar with names of at most 15 bytes.
func ar(w io.Writer, files []file, when time.Time) error {
	var b bytes.Buffer
	b.WriteString("!<arch>\n")
	for _, f := range files {
		fmt.Fprintf(&b, "%-16s%-12d%-6d%-6d%-8s%-10d`\n", f.name, when.Unix(), 0, 0, "100644", len(f.data))
		b.Write(f.data)
		if len(f.data)%2 == 1 {
			b.WriteByte('\n')
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// Package python has the Python module treebeam, in the folder treebeam, and
// makes wheels of it: one for every platform, with the program inside.
package python

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"time"
)

//go:embed treebeam/*.py treebeam/py.typed
var module embed.FS

// platforms are the tags of Python's packaging, by GOOS/GOARCH. The Linux
// programs are static: they need neither glibc nor musl. Go 1.26 wants macOS 12.
var platforms = map[string][]string{
	"linux/amd64":   {"manylinux_2_17_x86_64", "manylinux2014_x86_64", "musllinux_1_1_x86_64"},
	"linux/arm64":   {"manylinux_2_17_aarch64", "manylinux2014_aarch64", "musllinux_1_1_aarch64"},
	"darwin/amd64":  {"macosx_12_0_x86_64"},
	"darwin/arm64":  {"macosx_12_0_arm64"},
	"windows/amd64": {"win_amd64"},
	"windows/arm64": {"win_arm64"},
}

// A Wheel is what is in a wheel beside the module.
type Wheel struct {
	System, Arch string    // GOOS and GOARCH of the program
	Version      string    // of the program, as git describe gives it
	Commits      int       // in its history: orders versions that have no tag
	Program      []byte    // the executable file
	Readme       []byte    // Markdown, what package registries show
	Licenses     []File    // the texts of licences
	Materials    File      // the bill of materials (PEP 770); none if it has no name
	Time         time.Time // of all files in the wheel
}

// A File is a name and what is in it.
type File struct {
	Name string
	Data []byte
}

// Write writes the wheel and returns its file name. The bytes depend on the
// wheel only.
func (w *Wheel) Write(out io.Writer) (name string, err error) {
	tags := platforms[w.System+"/"+w.Arch]
	if tags == nil {
		return "", fmt.Errorf("python: no wheel can be made for %s/%s", w.System, w.Arch)
	}
	version, err := Version(w.Version, w.Commits)
	if err != nil {
		return "", err
	}
	info := "treebeam-" + version + ".dist-info/"
	z := &archive{zip: zip.NewWriter(out), when: w.Time}
	z.zip.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(out, flate.BestCompression) // an index takes 100 MB
	})
	entries, err := fs.ReadDir(module, "treebeam")
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		data, err := fs.ReadFile(module, path.Join("treebeam", e.Name()))
		if err != nil {
			return "", err
		}
		if e.Name() == "_version.py" {
			data = fmt.Appendf(nil, "__version__ = %q\n", version)
		}
		z.add("treebeam/"+e.Name(), 0o644, data)
	}
	program := "treebeam/bin/treebeam"
	if w.System == "windows" {
		program += ".exe"
	}
	z.add(program, 0o755, w.Program)
	var names []string
	for _, f := range w.Licenses {
		z.add(info+"licenses/"+f.Name, 0o644, f.Data)
		names = append(names, f.Name)
	}
	if w.Materials.Name != "" {
		z.add(info+"sboms/"+w.Materials.Name, 0o644, w.Materials.Data)
	}
	z.add(info+"METADATA", 0o644, metadata(version, names, w.Readme))
	z.add(info+"WHEEL", 0o644, []byte("Wheel-Version: 1.0\nGenerator: treebeam\nRoot-Is-Purelib: false\nTag: py3-none-"+
		strings.Join(tags, "\nTag: py3-none-")+"\n"))
	z.add(info+"entry_points.txt", 0o644, []byte("[console_scripts]\ntreebeam = treebeam.__main__:main\n"))
	if err := z.close(info + "RECORD"); err != nil {
		return "", err
	}
	return "treebeam-" + version + "-py3-none-" + strings.Join(tags, ".") + ".whl", nil
}

func metadata(version string, licenses []string, readme []byte) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `Metadata-Version: 2.4
Name: treebeam
Version: %s
Summary: Dependency trees of Universal Dependencies from text, with how sure each is
License-Expression: Apache-2.0 AND CC-BY-SA-4.0 AND MIT
License-File: %s
Requires-Python: >=3.9
Provides-Extra: arrow
Requires-Dist: pyarrow; extra == "arrow"
Provides-Extra: spacy
Requires-Dist: spacy>=3; extra == "spacy"
Classifier: Programming Language :: Python :: 3
Classifier: Topic :: Text Processing :: Linguistic
Classifier: Typing :: Typed
Description-Content-Type: text/markdown

`, version, strings.Join(licenses, "\nLicense-File: "))
	b.Write(readme)
	return b.Bytes()
}

// described is what git describe --tags --always --dirty gives: a tag, and how
// many commits were made since; or, without a tag, a commit.
var described = regexp.MustCompile(`^(?:v?(\d+(?:\.\d+)+)(?:-(\d+)-g([0-9a-f]+))?|([0-9a-f]{7,40}))(-dirty)?$`)

// Version makes a version for Python's packaging (PEP 440) of one that git
// describe gives; commits is how many there are in the history.
func Version(describe string, commits int) (string, error) {
	m := described.FindStringSubmatch(describe)
	if m == nil {
		return "", fmt.Errorf("python: %q is not a version that git describe prints for a tag such as v1.2.0", describe)
	}
	tag, since, commit, dirty := m[1], m[2], m[3]+m[4], m[5] != ""
	version := tag
	if tag == "" {
		version = fmt.Sprintf("0.0.dev%d", commits)
	} else if since != "" {
		version += ".post" + since
	}
	switch {
	case commit != "" && dirty:
		version += "+g" + commit + ".dirty"
	case commit != "":
		version += "+g" + commit
	case dirty:
		version += "+dirty"
	}
	return version, nil
}

// An archive is a zip file that lists its files with their digests.
type archive struct {
	zip    *zip.Writer
	when   time.Time
	record strings.Builder
	err    error // the first
}

func (z *archive) add(name string, mode fs.FileMode, data []byte) {
	if z.err != nil {
		return
	}
	h := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: z.when}
	h.SetMode(mode)
	entry, err := z.zip.CreateHeader(h)
	if err == nil {
		_, err = entry.Write(data)
	}
	z.err = err
	sum := sha256.Sum256(data)
	fmt.Fprintf(&z.record, "%s,sha256=%s,%d\n", name, base64.RawURLEncoding.EncodeToString(sum[:]), len(data))
}

// close adds the list under a name and ends the archive.
func (z *archive) close(name string) error {
	fmt.Fprintf(&z.record, "%s,,\n", name)
	z.add(name, 0o644, []byte(z.record.String()))
	if z.err != nil {
		return z.err
	}
	return z.zip.Close()
}

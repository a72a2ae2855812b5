package python

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestVersion(t *testing.T) {
	for _, c := range []struct{ describe, want string }{
		{"v1.2.0", "1.2.0"},
		{"1.2", "1.2"},
		{"v1.2.0-dirty", "1.2.0+dirty"},
		{"v1.2.0-14-gabc1234", "1.2.0.post14+gabc1234"},
		{"v1.2.0-14-gabc1234-dirty", "1.2.0.post14+gabc1234.dirty"},
		{"34155ca", "0.0.dev77+g34155ca"},
		{"1234567", "0.0.dev77+g1234567"}, // a commit of digits is no release
		{"34155ca-dirty", "0.0.dev77+g34155ca.dirty"},
		{"nightly", ""},
		{"", ""},
	} {
		got, err := Version(c.describe, 77)
		if got != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%q: got %q, %v, want %q", c.describe, got, err, c.want)
		}
	}
}

func wheel() *Wheel {
	return &Wheel{System: "linux", Arch: "amd64", Version: "v1.0", Program: bytes.Repeat([]byte("program"), 1000), Readme: []byte("# Read me\n"),
		Licenses:  []File{{"LICENSE", []byte("free")}, {"NOTICE.md", []byte("models")}},
		Materials: File{"program.json", []byte("modules")}, Time: time.Unix(1_790_000_000, 0).UTC()}
}

// What pip checks: RECORD names every file with its digest and size, and the
// name of the wheel has the tags that WHEEL has.
func TestWheel(t *testing.T) {
	var b, again bytes.Buffer
	name, err := wheel().Write(&b)
	if err != nil {
		t.Fatal(err)
	}
	if want := "treebeam-1.0-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64.whl"; name != want {
		t.Errorf("the name is %s", name)
	}
	if _, err := wheel().Write(&again); err != nil || !bytes.Equal(b.Bytes(), again.Bytes()) {
		t.Errorf("other bytes the second time, %v", err)
	}
	z, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		files[f.Name] = string(data)
		if executable := f.Mode()&0o111 != 0; executable != (f.Name == "treebeam/bin/treebeam") {
			t.Errorf("%s has mode %v", f.Name, f.Mode())
		}
	}
	const info = "treebeam-1.0.dist-info/"
	for line := range strings.Lines(files[info+"RECORD"]) {
		f := strings.Split(strings.TrimSpace(line), ",")
		data, ok := files[f[0]]
		if !ok {
			t.Errorf("RECORD has %s, which is not there", f[0])
		}
		delete(files, f[0])
		sum := sha256.Sum256([]byte(data))
		if f[0] != info+"RECORD" && (f[1] != "sha256="+base64.RawURLEncoding.EncodeToString(sum[:]) || f[2] != strconv.Itoa(len(data))) {
			t.Errorf("RECORD has another digest or size of %s: %s", f[0], line)
		}
		for file, part := range map[string]string{
			"treebeam/_version.py":      `__version__ = "1.0"`,
			"treebeam/__init__.py":      "import Parser",
			info + "METADATA":           "\nVersion: 1.0\n",
			info + "WHEEL":              "\nTag: py3-none-musllinux_1_1_x86_64\n",
			info + "licenses/LICENSE":   "free",
			info + "sboms/program.json": "modules",
		} {
			if f[0] == file && !strings.Contains(data, part) {
				t.Errorf("%s has no %q", file, part)
			}
		}
	}
	if len(files) > 0 {
		t.Errorf("RECORD leaves out %d files", len(files))
	}
	other := wheel()
	other.System = "plan9"
	if _, err := other.Write(io.Discard); err == nil {
		t.Error("a wheel for Plan 9")
	}
}

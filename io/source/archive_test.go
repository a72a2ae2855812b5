package source

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/treebeam/treebeam/parser/syntax"
)

// A packing writes members, in their order, as an archive.
type packing struct {
	ending string
	pack   func(members []content) []byte
}

type content struct{ name, text string }

var packings = []packing{
	{".zip", func(list []content) []byte { return zipOf(list, zip.Deflate) }},
	{".stored.zip", func(list []content) []byte { return zipOf(list, zip.Store) }},
	{".tar", tarOf},
	{".tar.gz", func(list []content) []byte { return gzipOf(tarOf(list)) }},
	{".tgz", func(list []content) []byte { return gzipOf(tarOf(list)) }},
}

func zipOf(list []content, method uint16) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, c := range list {
		f, _ := w.CreateHeader(&zip.FileHeader{Name: c.name, Method: method})
		io.WriteString(f, c.text)
	}
	w.Close()
	return b.Bytes()
}

func tarOf(list []content) []byte {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, c := range list {
		h := &tar.Header{Name: c.name, Size: int64(len(c.text)), Mode: 0o644, ModTime: time.Unix(1, 0), Typeflag: tar.TypeReg}
		if strings.HasSuffix(c.name, "/") {
			h.Typeflag, h.Mode = tar.TypeDir, 0o755
		}
		if strings.HasSuffix(c.name, ".link") {
			h.Typeflag, h.Linkname, h.Size, c.text = tar.TypeSymlink, "elsewhere", 0, ""
		}
		w.WriteHeader(h)
		io.WriteString(w, c.text)
	}
	w.Close()
	return b.Bytes()
}

func gzipOf(data []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(data)
	w.Close()
	return b.Bytes()
}

// readFolder reads every file of a folder by a plan with ranges of so many bytes: contents, or
// errors, by document id.
func readFolder(t *testing.T, dir string, rangeBytes int64) map[string]string {
	t.Helper()
	return readInput(t, "in", dir, rangeBytes)
}

// readInput is readFolder of an input, which is relative to dir.
func readInput(t *testing.T, input, dir string, rangeBytes int64) map[string]string {
	t.Helper()
	inputs, err := Find(t.Context(), []string{input}, ListOptions{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer inputs.Close()
	plan, err := NewPlan(t.Context(), inputs, PlanOptions{RangeBytes: rangeBytes, Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "plan")
	if err := plan.Write(t.Context(), name, ""); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for r, err := range PlanRanges(t.Context(), name) {
		if err != nil {
			t.Fatal(err)
		}
		files := NewFiles(t.Context(), &r)
		for i := range r.Pieces {
			p := &r.Pieces[i]
			got[p.DocID] += pieceText(t, files, i, p)
		}
		files.Close()
	}
	return got
}

// pieceText is what a piece holds, or the kind of its fault in angle brackets.
func pieceText(t *testing.T, files *Files, i int, p *Piece) string {
	t.Helper()
	fault := func(err error) string {
		var why syntax.Fault
		var is *Error
		if !errors.As(err, &is) || is.Kind != Permanent || is.URI != p.URI || !errors.As(err, &why) {
			t.Fatalf("%s: %v", p.URI, err)
		}
		return "<" + why.Kind.String() + ">"
	}
	f, err := files.Open(i)
	if err != nil {
		return fault(err)
	}
	defer f.Close()
	start, end := p.Interval()
	if _, err := f.Head(); err != nil {
		return fault(err)
	}
	r, err := f.At(start)
	if err != nil {
		return fault(err)
	}
	if end >= 0 {
		r = io.LimitReader(r, end-start)
		if end == p.Size {
			r = io.MultiReader(r, mustEnd{f.stream})
		}
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return string(text) + fault(err)
	}
	if err := f.Verify(); err != nil {
		t.Fatal(err)
	}
	sum, err := f.Sum(t.Context())
	if err != nil || sum.From != p.Start || sum.To != p.End {
		t.Fatalf("%s: sum %v, %v", p.URI, sum, err)
	}
	return string(text)
}

// mustEnd is the end of a reader, with its error.
type mustEnd struct{ r io.Reader }

func (m mustEnd) Read(b []byte) (int, error) { return m.r.Read(b[:min(1, len(b))]) }

func inFolder(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, "in", name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestArchives reads archives as folders, however they are cut into ranges, and from a
// store as from a disk.
func TestArchives(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var list []content
	for i := range 40 {
		text := make([]byte, rng.IntN(2000))
		for j := range text {
			text[j] = "abcd \n"[rng.IntN(6)]
		}
		list = append(list, content{fmt.Sprintf("f%d/%d.txt", rng.IntN(3), i), string(text)})
	}
	list = append(list, content{"d/", ""}, content{"z.txt.gz", string(gzipOf([]byte("zipped")))}, content{"empty", ""}, content{"../up.txt", "up"},
		content{"/top.txt", "top"}, content{".hidden/a.txt", "no"}, content{"__MACOSX/a.txt", "no"}, content{"100%.txt", "percent"}, content{"bad\xff.txt", "bytes"},
		content{"twice.txt", "first"}, content{"twice.txt", "second"})
	for _, p := range packings {
		want := map[string]string{}
		for _, c := range list {
			name := strings.TrimPrefix(strings.TrimPrefix(c.name, ".."), "/")
			if strings.HasSuffix(name, "/") || isHidden(name) {
				continue
			}
			if c.name == "z.txt.gz" {
				c.text = "zipped"
			}
			if strings.HasSuffix(p.ending, ".zip") || name != "bad\xff.txt" { // which the writer of tar does not write
				want["sub/a"+p.ending+"!/"+strings.ReplaceAll(name, "\xff", "%FF")] = c.text
			}
		}
		if strings.HasSuffix(p.ending, ".zip") {
			want["sub/a"+p.ending] = "<not_regular_file>" // for the first twice.txt
		}
		packed := p.pack(slices.DeleteFunc(slices.Clone(list), func(c content) bool { return c.name == "bad\xff.txt" && !strings.HasSuffix(p.ending, ".zip") }))
		dir := inFolder(t, map[string]string{"sub/a" + p.ending: string(packed)})
		memory(t, map[string]string{"bucket/in/sub/a" + p.ending: string(packed)})
		for i, size := range []int64{1, 20_000, 1 << 20, 1 << 20} {
			got := readInput(t, []string{"in", "in", "in", "mem://bucket/in"}[i], dir, size)
			for id, text := range want {
				if got[id] != text {
					t.Errorf("%s, %d bytes a range: %s has %d bytes, want %d: %.40q", p.ending, size, id, len(got[id]), len(text), got[id])
				}
			}
			if len(got) != len(want) {
				t.Errorf("%s: %d members, want %d", p.ending, len(got), len(want))
			}
		}
	}
}

// TestArchiveExcluded leaves members out.
func TestArchiveExcluded(t *testing.T) {
	dir := inFolder(t, map[string]string{"a.zip": string(zipOf([]content{{"x/1.txt", ""}, {"y/2.txt", ""}, {"y/3.md", ""}}, zip.Deflate)), "b.zip": "x"})
	list, err := List(t.Context(), []string{"in/**/*.zip"}, ListOptions{Dir: dir, Exclude: []string{"x", "a.zip!/**/*.md", "b.zip"}})
	if err != nil || len(list) != 1 || list[0].DocID != "a.zip!/y/2.txt" || list[0].URI != "in/a.zip!/y/2.txt" {
		t.Errorf("got %+v, %v", list, err)
	}
}

// A member of a zip that another one replaces leaves a row, unless nothing is lost with it.
func TestArchiveMemberTwice(t *testing.T) {
	for _, c := range []struct {
		name, first, second string
		rows                int
	}{
		{"a.txt", "one", "two", 2}, {"a.txt", "one", "one", 1}, {".a.txt", "one", "two", 0}, {"no.txt", "one", "two", 0},
	} {
		dir := inFolder(t, map[string]string{"x.zip": string(zipOf([]content{{c.name, c.first}, {"./" + c.name, c.second}}, zip.Deflate))})
		list, err := List(t.Context(), []string{"in"}, ListOptions{Dir: dir, Exclude: []string{"no.txt"}, AllowEmpty: true})
		if err != nil || len(list) != c.rows {
			t.Errorf("%+v: %d files, %v", c, len(list), err)
		}
		if len(list) == 2 && !strings.Contains(list[0].In.Reason, `"a.txt"`) {
			t.Errorf("%+v: %q", c, list[0].In.Reason)
		}
	}
}

// TestBrokenArchives has members, or archives, that cannot be read: a fault each, and all
// others are read.
func TestBrokenArchives(t *testing.T) {
	two := []content{{"a", strings.Repeat("aaa\n", 300)}, {"b", strings.Repeat("bbb\n", 300)}}
	whole := two[1].text
	stored, deflated, plain := zipOf(two, zip.Store), zipOf(two, zip.Deflate), tarOf(two)
	change := func(data []byte, old, now string, n int) string {
		return string(bytes.Replace(data, []byte(old), []byte(now), n))
	}
	directory := bytes.Index(deflated, []byte("PK\x01\x02"))
	flipped := slices.Clone(deflated)
	flipped[bytes.Index(deflated, []byte("a"))+8] ^= 0xff // in the deflated bytes of a, after its name
	encrypted := slices.Clone(deflated)
	encrypted[directory+8] |= 1
	encryptedStored := slices.Clone(stored)
	encryptedStored[bytes.Index(stored, []byte("PK\x01\x02"))+8] |= 1
	encryptedStored[bytes.Index(stored, []byte("PK\x01\x02"))+20] += 12 // its stored size, with the header of the cipher
	strange := slices.Clone(deflated)
	strange[directory+10] = 9
	long := slices.Clone(deflated)
	long[directory+24]++ // its size
	short := slices.Clone(deflated)
	short[directory+24]--
	huge := slices.Clone(deflated)
	copy(huge[directory+24:], "\xff\xff\xff\x7f")
	far := slices.Clone(deflated)
	copy(far[directory+42:], "\xff\xff\xff\x7f") // where it begins
	var hollow bytes.Buffer                      // members that are deflated to no bytes, as .NET writes empty files
	z := zip.NewWriter(&hollow)
	z.CreateRaw(&zip.FileHeader{Name: "a", Method: zip.Deflate})
	z.CreateRaw(&zip.FileHeader{Name: "b", Method: zip.Deflate, UncompressedSize64: 4})
	z.Close()
	second := bytes.LastIndex(deflated, []byte("PK\x01\x02"))
	for name, c := range map[string]struct {
		data string
		want map[string]string
	}{
		"sum.zip":       {change(stored, "aaa\n", "aab\n", 1), map[string]string{"!/a": strings.Replace(two[0].text, "aaa", "aab", 1) + "<damaged>", "!/b": whole}},
		"encrypted.zip": {string(encrypted), map[string]string{"!/a": "<not_regular_file>", "!/b": whole}},
		"secret.zip":    {string(encryptedStored), map[string]string{"!/a": "<not_regular_file>", "!/b": whole}},
		"method.zip":    {string(strange), map[string]string{"!/a": "<not_regular_file>", "!/b": whole}},
		"long.zip":      {string(long), map[string]string{"!/a": two[0].text + "<truncated>", "!/b": whole}},
		"short.zip":     {string(short), map[string]string{"!/a": two[0].text[:len(two[0].text)-1] + "<damaged>", "!/b": whole}},
		"huge.zip":      {string(huge), map[string]string{"": "<not_regular_file>"}},
		"far.zip":       {string(far), map[string]string{"!/a": "<damaged>", "!/b": whole}},
		"hollow.zip":    {hollow.String(), map[string]string{"!/a": "", "!/b": "<damaged>"}},
		"cut.zip":       {string(deflated[:second]), map[string]string{"": "<damaged>"}},
		"text.zip":      {"no archive at all\n", map[string]string{"": "<damaged>"}},
		"empty.zip":     {"", map[string]string{"": "<damaged>"}},
		"cut.tar":       {string(plain[:len(plain)/2]), map[string]string{"!/a": two[0].text, "": "<truncated>"}},
		"text.tar":      {strings.Repeat("no archive at all\n", 100), map[string]string{"": "<damaged>"}},
		"link.tar":      {string(tarOf([]content{{"a.link", ""}, two[1]})), map[string]string{"!/a.link": "<not_regular_file>", "!/b": whole}},
		"cut.tar.gz":    {string(gzipOf(plain[:len(plain)/2])), map[string]string{"!/a": two[0].text, "!/b": "<truncated>", "": "<truncated>"}},
		"cut.tgz":       {string(gzipOf(plain)[:20]), map[string]string{"": "<truncated>"}},
		"text.tgz":      {"no archive at all\n", map[string]string{"": "<damaged>"}},
		"nested.zip":    {string(zipOf([]content{{"x.zip", string(stored)}}, zip.Deflate)), map[string]string{"!/x.zip": string(stored)}},
	} {
		want := map[string]string{}
		for id, text := range c.want {
			want[name+id] = text
		}
		dir := inFolder(t, map[string]string{name: c.data})
		got := readFolder(t, dir, 0)
		if cut := readFolder(t, dir, 700); !maps.Equal(cut, got) {
			t.Errorf("%s: in pieces %.300q", name, cut)
		}
		for id, text := range want {
			if got[id] != text {
				t.Errorf("%s: %d bytes, end %q; want %d, end %q", id, len(got[id]), got[id][max(0, len(got[id])-40):], len(text), text[max(0, len(text)-40):])
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s: got %d files, want %d", name, len(got), len(want))
		}
	}
}

// TestArchiveBounds refuses archives that expand too much, or have too many members.
func TestArchiveBounds(t *testing.T) {
	var zeros, bomb, bombTar bytes.Buffer
	deflater, _ := flate.NewWriter(&zeros, flate.BestCompression)
	io.WriteString(deflater, strings.Repeat("\x00", 1<<20))
	deflater.Close()
	z := zip.NewWriter(&bomb)
	for i := range 1025 {
		w, _ := z.CreateRaw(&zip.FileHeader{Name: fmt.Sprint(i), Method: zip.Deflate, UncompressedSize64: 1 << 20, CompressedSize64: uint64(zeros.Len())})
		w.Write(zeros.Bytes())
	}
	z.Close()
	tar.NewWriter(&bombTar).WriteHeader(&tar.Header{Name: "x", Size: 1<<30 + 1})
	many := make([]content, maxMembers+1)
	for i := range many {
		many[i].name = fmt.Sprint(i)
	}
	for name, data := range map[string][]byte{"bomb.zip": bomb.Bytes(), "bomb.tgz": gzipOf(bombTar.Bytes()), "many.tgz": gzipOf(tarOf(many)), "many.zip": zipOf(many, zip.Store)} {
		list, err := List(t.Context(), []string{"in"}, ListOptions{Dir: inFolder(t, map[string]string{name: string(data)})})
		if err != nil {
			t.Fatal(err)
		}
		last := slices.IndexFunc(list, func(in Input) bool { return in.DocID == name })
		if last < 0 || list[last].In == nil || list[last].In.Kind != syntax.KindIrregular || len(list) > maxMembers+1 {
			t.Errorf("%s: %d files", name, len(list))
		}
	}
}

// FuzzArchives lists and reads archives of any bytes.
func FuzzArchives(f *testing.F) {
	list := []content{{"a.txt", "some text\n"}, {"b/c.txt", strings.Repeat("more\n", 50)}, {"d.link", ""}}
	for i, p := range packings {
		f.Add(uint8(i), p.pack(list))
	}
	f.Fuzz(func(t *testing.T, kind uint8, data []byte) {
		dir := t.TempDir()
		name := "a" + packings[int(kind)%len(packings)].ending
		if err := errors.Join(os.Mkdir(filepath.Join(dir, "in"), 0o755), os.WriteFile(filepath.Join(dir, "in", name), data, 0o644)); err != nil {
			t.Fatal(err)
		}
		if inputs, err := List(t.Context(), []string{"in"}, ListOptions{Dir: dir}); err != nil || len(inputs) == 0 {
			return // an archive without members is as an empty folder
		}
		once := readFolder(t, dir, 1)
		for id, text := range readFolder(t, dir, 1<<20) {
			if once[id] != text {
				t.Fatalf("%s: %q in one range, %q in many", id, text, once[id])
			}
		}
	})
}

// A folder whose name is that of an archive with ! has members of the same names, also of
// names that only document ids escape.
func TestArchiveBesideFolder(t *testing.T) {
	for _, member := range []string{"a.txt", "a\nb.txt"} {
		dir := t.TempDir()
		for name, text := range map[string]string{"s.zip": string(zipOf([]content{{member, "One.\n"}}, zip.Deflate)), "s.zip!/" + member: "Two.\n"} {
			path := filepath.Join(dir, name)
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := List(t.Context(), []string{dir}, ListOptions{}); err == nil || !strings.Contains(err.Error(), "rename one of them") {
			t.Errorf("%q: got %v", member, err)
		}
		if list, err := List(t.Context(), []string{dir}, ListOptions{Exclude: []string{"s.zip"}}); err != nil || len(list) != 1 {
			t.Errorf("%q: got %v, %v", member, list, err)
		}
	}
}

package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
)

// linked returns the modules that are in a program, sorted by path, and Go's version.
func linked(program []byte) (modules []*debug.Module, goVersion string, err error) {
	info, err := buildinfo.Read(bytes.NewReader(program))
	if err != nil {
		return nil, "", err
	}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		modules = append(modules, m)
	}
	slices.SortFunc(modules, func(a, b *debug.Module) int { return strings.Compare(a.Path, b.Path) })
	return modules, strings.TrimPrefix(info.GoVersion, "go"), nil
}

// folders returns where the go command keeps the source of modules, by path.
func folders(modules []*debug.Module) (map[string]string, error) {
	args := []string{"mod", "download", "-json"}
	for _, m := range modules {
		args = append(args, m.Path+"@"+m.Version)
	}
	out, err := exec.Command("go", args...).Output()
	if err != nil {
		return nil, fmt.Errorf("go mod download: %w", err)
	}
	dirs := map[string]string{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var m struct{ Path, Dir string }
		if err := d.Decode(&m); errors.Is(err, io.EOF) {
			return dirs, nil
		} else if err != nil {
			return nil, fmt.Errorf("go mod download: %w", err)
		}
		dirs[m.Path] = m.Dir
	}
}

// licenseFile is how files with licenses and notices are named.
var licenseFile = regexp.MustCompile(`(?i)^(?:un)?(?:licen[cs]e|copying|notice|copyright|patents)s?(?:[-._].*)?$`)

// source are the endings of files that are named so and are programs or their data.
var source = []string{".go", ".tmpl", ".sh", ".py", ".java", ".js", ".json", ".yaml", ".yml", ".csv"}

// licensesIn returns the files of licenses and notices in a module, by name. It leaves
// out the data of tests, and source code.
func licensesIn(dir string) (list []file, err error) {
	err = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if base := d.Name(); name != dir && (base == "testdata" || strings.HasPrefix(base, ".")) {
				return fs.SkipDir
			}
			return nil
		}
		if base := d.Name(); !licenseFile.MatchString(base) || slices.Contains(source, path.Ext(base)) {
			return nil
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		inside, err := filepath.Rel(dir, name)
		list = append(list, file{name: filepath.ToSlash(inside), data: data})
		return err
	})
	return list, err
}

// licenses returns one text with the licenses and notices of all modules and of Go.
// A text that several have stands once, below the names of all. A module without a
// license is an error.
func licenses(modules []*debug.Module, dirs map[string]string, goRoot, goVersion string) ([]byte, error) {
	type owned struct {
		owners []string
		text   []byte
	}
	var texts []*owned
	known := map[string]*owned{}
	add := func(owner, dir string, deep bool) error {
		list, err := licensesIn(dir)
		if err != nil {
			return err
		}
		if !deep { // Go's own folder holds more than what is linked
			list = slices.DeleteFunc(list, func(f file) bool { return strings.Contains(f.name, "/") })
		}
		if len(list) == 0 {
			return fmt.Errorf("%s has no license: it may not be given to others", owner)
		}
		for _, f := range list {
			text := bytes.TrimSpace(bytes.ReplaceAll(f.data, []byte("\r\n"), []byte("\n")))
			o := known[string(text)]
			if o == nil {
				o = &owned{text: text}
				known[string(text)] = o
				texts = append(texts, o)
			}
			o.owners = append(o.owners, owner+": "+f.name)
		}
		return nil
	}
	if err := add("Go "+goVersion+", standard library and runtime", goRoot, false); err != nil {
		return nil, err
	}
	for _, m := range modules {
		if dirs[m.Path] == "" {
			return nil, fmt.Errorf("the source of %s %s is not there: run go mod download", m.Path, m.Version)
		}
		if err := add(m.Path+" "+m.Version, dirs[m.Path], true); err != nil {
			return nil, err
		}
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "treebeam contains these modules. Their licenses and notices follow.\n")
	for _, o := range texts {
		fmt.Fprintf(&b, "\n%s\n\n%s\n\n%s\n", strings.Repeat("=", 80), strings.Join(o.owners, "\n"), o.text)
	}
	return b.Bytes(), nil
}

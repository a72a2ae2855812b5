package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Local is the local disk, or what is mounted there. Names are paths.
type Local struct {
	// Fault, if set, is called before an operation (see the constants below) on a named
	// file, and its result counts as the disk's answer: a test can have a full or a
	// broken disk.
	Fault func(operation, name string) error
}

// Operations that Local.Fault is asked about.
const (
	FaultCreate = "create"
	FaultWrite  = "write"
	FaultSync   = "fsync"
	FaultRename = "rename"
)

func (l Local) fault(operation, name string) error {
	if l.Fault == nil {
		return nil
	}
	if err := l.Fault(operation, name); err != nil {
		return &fs.PathError{Op: operation, Path: name, Err: err}
	}
	return nil
}

// FileVersion returns the version of a local file, which identifies its state.
func FileVersion(info fs.FileInfo) string { return fmt.Sprintf("m%d", info.ModTime().UnixNano()) }

// List implements Store. It holds the names of one listing.
func (l Local) List(ctx context.Context, prefix string) iter.Seq2[Info, error] {
	return func(yield func(Info, error) bool) {
		var list []Info
		dir, base := filepath.Split(filepath.FromSlash(prefix))
		if dir == "" {
			dir = "."
		}
		err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil // gone since, or no such folder
			}
			if err == nil {
				err = ctx.Err()
			}
			if err != nil || e.IsDir() {
				return err
			}
			if rel, _ := filepath.Rel(dir, name); !strings.HasPrefix(rel, base) {
				return nil
			}
			info, err := e.Info()
			if e.Type()&fs.ModeSymlink != 0 { // a link to a file counts as the file
				info, err = os.Stat(name)
			}
			if errors.Is(err, fs.ErrNotExist) || err == nil && info.IsDir() {
				return nil
			}
			if err == nil {
				list = append(list, Info{Name: name, Size: info.Size(), Version: FileVersion(info)})
			}
			return err
		})
		slices.SortFunc(list, func(a, b Info) int { return cmp.Compare(a.Name, b.Name) })
		for _, info := range list {
			if !yield(info, nil) {
				return
			}
		}
		if err != nil {
			yield(Info{}, err)
		}
	}
}

// Stat implements Store.
func (l Local) Stat(_ context.Context, name string) (Info, error) {
	info, err := os.Stat(name)
	if err != nil {
		return Info{}, err
	}
	return Info{Name: name, Size: info.Size(), Version: FileVersion(info)}, nil
}

// OpenLocal opens a regular file. Anything else is an error, because opening a named
// pipe would wait for its writer.
func OpenLocal(name string) (*os.File, fs.FileInfo, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, &fs.PathError{Op: "open", Path: name, Err: ErrNotRegular}
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, err
	}
	if info, err = f.Stat(); err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// CheckRegular fails with ErrNotRegular for a local folder, pipe or device. OpenFile
// does not: it opens nothing that has the size 0.
func CheckRegular(ctx context.Context, uri string) error {
	s, name, err := Of(ctx, uri)
	if _, local := s.(Local); err != nil || !local {
		return err
	}
	f, _, err := OpenLocal(name)
	if err != nil {
		return err
	}
	return f.Close()
}

// Open implements Store.
func (l Local) Open(_ context.Context, name, version string, off, n int64) (io.ReadCloser, error) {
	f, info, err := OpenLocal(name)
	if err != nil {
		return nil, err
	}
	if version != "" && FileVersion(info) != version {
		err = fmt.Errorf("%s: %w", name, ErrVersion)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return &localReader{io.NewSectionReader(f, off, n), f, info, off, off + n}, nil
}

// A localReader reads to the end that the file system has promised. If the file
// ends before and is still the one that was opened, reading it again is of no use:
// the error is final.
type localReader struct {
	io.Reader
	file    *os.File
	info    fs.FileInfo
	at, end int64
}

func (r *localReader) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	r.at += int64(n)
	if err != io.EOF || r.at >= r.end {
		return n, err
	}
	now, statErr := os.Stat(r.file.Name())
	if statErr == nil && now.Size() == r.info.Size() && now.ModTime().Equal(r.info.ModTime()) {
		return n, Final(&ShortFile{r.at, now.Size()})
	}
	return n, err
}

func (r *localReader) Close() error { return r.file.Close() }

// A ShortFile is the error of a local file that ends before its size.
type ShortFile struct{ at, size int64 }

func (e *ShortFile) Error() string {
	return fmt.Sprintf("the file ends after %d bytes, but the file system says that it has %d; copy it to a file first, with cat", e.at, e.size)
}

// Create implements Store: the file is written under a random name, synced,
// and renamed. Folders are made as needed.
func (l Local) Create(_ context.Context, name string, o Options) (Writer, error) {
	for _, dir := range []string{filepath.Dir(name), o.Temp} {
		if dir == "" {
			continue
		}
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return nil, fmt.Errorf("making the folder of %s: %w; it must be writable", name, err)
		}
	}
	err := l.fault(FaultCreate, name)
	var f *File
	if err == nil {
		f, err = CreateFile(name, o.Temp)
	}
	if err != nil {
		return nil, fmt.Errorf("making a temporary file for %s: %w; the folder must be writable", name, err)
	}
	return &localWriter{l, f, name, o.Expect}, nil
}

// Delete implements Store.
func (l Local) Delete(_ context.Context, name string) error {
	if err := os.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

type localWriter struct {
	disk   Local
	f      *File
	name   string
	expect string
}

func (w *localWriter) Write(b []byte) (int, error) {
	err := w.disk.fault(FaultWrite, w.name)
	n := 0
	if err == nil {
		n, err = w.f.Write(b)
	}
	if err != nil {
		return n, fmt.Errorf("writing %s: %w", w.name, err)
	}
	return n, nil
}

func (w *localWriter) Commit() error {
	if w.expect != Anything {
		version := Absent
		if info, err := os.Stat(w.name); err == nil {
			version = FileVersion(info)
		}
		if version != w.expect {
			return fmt.Errorf("publishing %s: %w", w.name, ErrCondition)
		}
	}
	err := w.disk.fault(FaultSync, w.name)
	if err == nil {
		err = w.disk.fault(FaultRename, w.name)
	}
	if err == nil {
		err = w.f.Commit()
	}
	if err != nil {
		return fmt.Errorf("publishing %s: %w", w.name, err)
	}
	return nil
}

// Touch makes the temporary file new, so that nobody takes it for one of a
// process that was killed. It may be called at any time.
func (w *localWriter) Touch() { _ = os.Chtimes(w.f.Name(), time.Time{}, time.Now()) }

func (w *localWriter) Abort() { w.f.Abort() }

package main

import (
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"

	"github.com/klauspost/compress/zstd"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/io/view"
)

// stdout is standard output. All that commands write there goes through it, and
// report asks at the end whether all was written: a command need not look at each
// line that it prints.
var stdout = new(standardOutput)

type standardOutput struct {
	sync.Mutex
	err error // the first
}

func (s *standardOutput) Write(text []byte) (int, error) {
	n, err := os.Stdout.Write(text)
	if err != nil {
		s.Lock()
		defer s.Unlock()
		if s.err == nil {
			s.err = err
		}
	}
	return n, err
}

// lost is the first error of all writes, which it forgets.
func (s *standardOutput) lost() error {
	s.Lock()
	defer s.Unlock()
	err := s.err
	s.err = nil
	return err
}

// outcome is err, the error of a command. If the command ended without an error, or
// with too many failures, it is the error of standard output, because then the printed
// text is lost. A reader that goes away before the summary does not make the run fail.
func (s *standardOutput) outcome(err error) error {
	lost := s.lost()
	if lost == nil || errors.Is(lost, syscall.EPIPE) || err != nil && !errors.Is(err, exitCode(exitFailures)) {
		return err
	}
	return lost
}

// writeOutput lets write write the file that a flag names. The file appears under its
// name when write has returned without an error; what cannot be replaced, such as
// /dev/null, is written in place. It is compressed if the name ends in .gz or .zst.
// "" and "-" are standard output. A file that cannot be written, or that is among the
// data of an output, is refused before write is called. After a signal the file does not
// appear, and the user is told.
func writeOutput(flag, name string, write func(io.Writer) error) error {
	if name == "" || name == "-" {
		return quietlyClosed(write(stdout))
	}
	file, err := createOutput(flag, name)
	if err != nil {
		return err
	}
	restore := func() {}
	if _, inPlace := file.(device); !inPlace {
		restore = onInterrupt(func() string {
			return fmt.Sprintf("interrupted; nothing was written to %s; the same command begins again", name)
		})
	}
	err = quietlyClosed(writePacked(file, name, write))
	restore() // the word would not be true while the file gets its name
	if err == nil && interrupted() {
		err = exitCode(exitInterrupted)
	}
	if err != nil {
		file.Abort()
		return err
	}
	return file.Commit()
}

// writePacked lets write write to a file, compressed as its name says.
func writePacked(file io.Writer, name string, write func(io.Writer) error) error {
	var packed io.WriteCloser
	switch name = strings.ToLower(name); {
	case strings.HasSuffix(name, ".gz"):
		packed = gzip.NewWriter(file)
	case strings.HasSuffix(name, ".zst"):
		var err error
		if packed, err = zstd.NewWriter(file, zstd.WithEncoderConcurrency(1)); err != nil {
			return err
		}
	default:
		return write(file)
	}
	return cmp.Or(write(packed), packed.Close())
}

// createOutput opens the file that a flag names, which appears under its name only when
// it is committed. Its errors are refusals.
func createOutput(flag, path string) (store.Writer, error) {
	if err := checkOutput(flag, path); err != nil {
		return nil, err
	}
	if info, err := os.Stat(path); err == nil && inPlace(info) {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			return nil, refuse("%s %s cannot be written: %w; name another file", flag, path, err)
		}
		return device{f}, nil
	}
	f, err := store.CreateFile(path, "")
	if err != nil {
		return nil, refuse("%s %s cannot be written: %w; name another file, in a folder that is there and can be written", flag, path, err)
	}
	return f, nil
}

// checkOutput refuses a folder and, for a file, an object store and the data of an output.
func checkOutput(flag, path string) error {
	switch {
	case store.IsRemote(path):
		return refuse("%s %s: only Parquet can be written to an object store; name a local file", flag, store.Redact(path))
	case namesFolder(path):
		return refuse("%s %s is a folder; name a file in it", flag, path)
	}
	return output.CheckTarget(flag, path, false)
}

// inPlace reports whether an output cannot be replaced: it is a device, a pipe or the file
// that standard output goes to, as /dev/stdout is.
func inPlace(info os.FileInfo) bool {
	printed, err := os.Stdout.Stat()
	return !info.Mode().IsRegular() || err == nil && os.SameFile(info, printed)
}

// canWrite is the error of createOutput: a command asks before its work, not after it.
func canWrite(flag, path string) error {
	if info, err := os.Stat(path); err == nil && inPlace(info) {
		return checkOutput(flag, path) // a pipe waits for its reader when it is opened
	}
	f, err := createOutput(flag, path)
	if err == nil {
		f.Abort()
	}
	return err
}

// A device is an output that cannot be undone.
type device struct{ *os.File }

func (d device) Commit() error { return d.Close() }
func (d device) Abort()        { d.Close() }

// say prints a message for people. It makes names of files, reasons and other text from
// outside visible, so that none of it acts on a terminal. Line breaks stay in the
// format, and in errors, which may have several lines.
func say(w io.Writer, format string, a ...any) {
	for i, v := range a {
		switch v := v.(type) {
		case string:
			a[i] = view.Visible(v)
		case error:
			a[i] = visibleLines(v.Error())
		}
	}
	fmt.Fprintf(w, format, a...)
}

// spoken is w for texts that others print: what say does to errors, it does to
// all that is written. A write must hold whole lines.
type spoken struct{ w io.Writer }

func (s spoken) Write(text []byte) (int, error) {
	plain := strings.ReplaceAll(string(text), "\t", "    ") // of stacks
	if _, err := io.WriteString(s.w, visibleLines(plain)); err != nil {
		return 0, err
	}
	return len(text), nil
}

// visibleLines is view.Visible for each line of s.
func visibleLines(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = view.Visible(lines[i])
	}
	return strings.Join(lines, "\n")
}

// shellWord is s as one word of a shell, for commands that messages name.
func shellWord(s string) string { return wordOf(s, os.PathSeparator == '\\') }

// pathWord is shellWord for a file or a folder, which no command then takes for a flag.
func pathWord(path string) string {
	if strings.HasPrefix(path, "-") {
		path = "./" + path
	}
	return shellWord(path)
}

// wordOf is shellWord for the shells of Windows or for others. A name of a file
// cannot have a double quote on Windows.
func wordOf(s string, windows bool) string {
	plain := "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:@%+=,"
	if windows {
		plain = strings.TrimSuffix(plain, ",") + `\`
	}
	switch {
	case s != "" && strings.Trim(s, plain) == "":
		return s
	case windows:
		return `"` + s + `"`
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

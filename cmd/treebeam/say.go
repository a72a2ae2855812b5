package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/treebeam/treebeam/io/view"
)

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

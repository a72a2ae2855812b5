package pipeline

import (
	"cmp"
	"runtime/debug"
)

// release is the version that the Makefile, the Dockerfile and "make dist" put in, by -X:
// what git describe says.
var release string

// Version returns the version of the program: what git describe said of the commit, such
// as v0.1.0 or 461b77f6, or the version that the go command recorded, such as
// v0.0.0-20060102150405-0123456789ab, or else "(devel)". It is safe for concurrent use.
func Version() string {
	known := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		known = info.Main.Version
	}
	return cmp.Or(release, known, "(devel)")
}

// Commit returns the hash of the commit that the program was built from, with
// " with changes" after it if files had changed since, or "" if the go command did not
// record it. It is safe for concurrent use.
func Commit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	commit, changed := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = " with changes"
		}
	}
	if commit == "" {
		return ""
	}
	return commit + changed
}

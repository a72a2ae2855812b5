package pipeline

import (
	"cmp"
	"runtime/debug"
)

// release is the version that "make dist" puts in, by -X.
var release string

// Version returns the version of the program: a release's version, or the version that
// the go command recorded, such as v0.0.0-20060102150405-0123456789ab, or else
// "(devel)". It is safe for concurrent use.
func Version() string {
	known := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		known = info.Main.Version
	}
	return cmp.Or(release, known, "(devel)")
}

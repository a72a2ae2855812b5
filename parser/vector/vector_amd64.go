package vector

import "golang.org/x/sys/cpu"

// useVectors says whether vector instructions are used. No result depends on it.
var useVectors = cpu.X86.HasAVX2

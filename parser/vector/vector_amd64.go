package vector

import "golang.org/x/sys/cpu"

// useVectors says whether vector instructions are used, and useAVX512 whether those of 512
// bits are. No result depends on them.
var (
	useVectors = cpu.X86.HasAVX2
	useAVX512  = useVectors && cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL
)

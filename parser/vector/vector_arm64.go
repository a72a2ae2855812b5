package vector

// useVectors says whether vector instructions are used. No result depends on it.
var useVectors = true

// constants are those of functions.go, in the order of lab/assembly.
var constants = [...]float32{
	expLeast, log2e, magic, ln2High, ln2Low, exp7, exp6, exp5, exp4, exp3, exp2, 1,
	geluP, gelu5, gelu4, gelu3, gelu2, gelu1, rootTwoPi, -0.5,
}

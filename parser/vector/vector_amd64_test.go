package vector

import "testing"

// Vectors of 256 bits agree with plain Go, too.
func TestAVX2(t *testing.T) {
	if !useAVX512 {
		t.Skip("this processor has no AVX-512: all tests use AVX2")
	}
	useAVX512 = false
	defer func() { useAVX512 = true }()
	TestSameBits(t)
}

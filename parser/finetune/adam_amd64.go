package finetune

import "golang.org/x/sys/cpu"

// moveAVX2 is update.move for n weights, n a multiple of 8, in its order of
// operations and without fused ones.
//
//go:noescape
func moveAVX2(u *update, w, slope, m, v *float32, n int)

// moveFast moves a first part of the weights and returns its length.
func (u *update) moveFast(w, g, m, v []float32) int {
	n := len(w) &^ 7
	if n == 0 || !cpu.X86.HasAVX2 {
		return 0
	}
	moveAVX2(u, &w[0], &g[0], &m[0], &v[0], n)
	return n
}

package finetune

import "slices"

// resize returns a slice of length n, in the memory of a if that is enough.
// What is in it is undefined.
func resize[T any](a []T, n int) []T { return slices.Grow(a[:0], n)[:n] }

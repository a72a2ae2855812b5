package finetune

// resize returns a slice of length n, in the memory of a if that is enough.
// What is in it is undefined.
func resize[T any](a []T, n int) []T {
	if cap(a) < n {
		return make([]T, n, n+n/4)
	}
	return a[:n]
}

//go:build !amd64 && !arm64

package matrix

var kernels, halves = []*kernel{&plain}, []*kernel(nil)

var integers []*integerKernel

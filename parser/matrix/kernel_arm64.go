package matrix

import "golang.org/x/sys/cpu"

//go:noescape
func floatNEON(t *tile)

//go:noescape
func intDot(t *tile)

var neon = kernel{
	name: "neon", multiply: floatNEON, heights: []int{8, 4, 2, 1}, lanes: 4, vectors: 2,
	straight: straight, transposed: transposed,
}

var kernels, halves = []*kernel{&neon, &plain}, []*kernel(nil)

// integers are the kernels for int8 that this processor can run. If there are none, plain
// Go multiplies.
var integers = func() (list []*integerKernel) {
	if cpu.ARM64.HasASIMDDP {
		list = append(list, &integerKernel{
			name: "dot", multiply: intDot, heights: []int{8, 4, 2, 1}, lanes: 4, word: 4, inputs: 4,
		})
	}
	return list
}()

package matrix

import (
	"flag"
	"os"
	"testing"

	"github.com/treebeam/treebeam/parser/matrix/assembly"
)

//go:generate go test -run TestAssembly -update

var update = flag.Bool("update", false, "write the assembly anew")

// The assembly is what its generator writes.
func TestAssembly(t *testing.T) {
	for name, text := range assembly.Files() {
		if *update {
			if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(name); err != nil || string(got) != text {
			t.Errorf("%s is not what the generator writes (go generate ./parser/matrix): %v", name, err)
		}
	}
}

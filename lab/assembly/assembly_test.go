package assembly

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
)

//go:generate go test -run TestAssembly -update

var update = flag.Bool("update", false, "write the assembly anew")

// The assembly of the product is what this package writes.
func TestAssembly(t *testing.T) {
	for name, text := range Files() {
		name = filepath.Join("..", "..", "parser", name)
		if *update {
			if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(name); err != nil || string(got) != text {
			t.Errorf("%s is not what the generator writes (go generate -C lab ./assembly): %v", name, err)
		}
	}
}

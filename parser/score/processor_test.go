package score

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"testing"

	"github.com/treebeam/treebeam/parser/word"
)

// digestAsked is set in the environment of a process that is to print a digest.
const digestAsked = "TREEBEAM_DIGEST_OF_START"

// TestDigestOfStart prints the digest of all floats that a tensor starts from, for
// TestStartWithoutFusedProducts.
func TestDigestOfStart(t *testing.T) {
	if os.Getenv(digestAsked) == "" {
		t.Skip("nobody asked")
	}
	train := sentences(150, 5)
	v := word.Learn(train)
	l := NewTensorLearner(train, v, 12, 0, t.Logf)
	h := sha256.New()
	fmt.Fprint(h, l.pretrain(train, v).cells, l.now)
	fmt.Printf("digest %x\n", h.Sum(nil))
}

// A processor that does not fuse a product and a sum begins with the same bits.
func TestStartWithoutFusedProducts(t *testing.T) {
	if runtime.GOARCH != "amd64" || testing.Short() {
		t.Skip("only amd64 has processors of both kinds")
	}
	var digests [2][]byte
	for i, debug := range []string{"", "cpu.fma=off"} {
		c := exec.Command(os.Args[0], "-test.run=^TestDigestOfStart$", "-test.count=1")
		c.Env = append(os.Environ(), digestAsked+"=1", "GODEBUG="+debug)
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		digests[i], _, _ = bytes.Cut(out, []byte("\n"))
	}
	if !bytes.HasPrefix(digests[0], []byte("digest ")) || !bytes.Equal(digests[0], digests[1]) {
		t.Errorf("with and without fused products: %s and %s", digests[0], digests[1])
	}
}

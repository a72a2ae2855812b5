package train

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"testing"
)

// digestAsked is set in the environment of a process that is to print a digest.
const digestAsked = "TREEBEAM_DIGEST_OF_TRAINING"

// TestDigestOfTraining prints the digest of a trained model, the tensor that starts
// from a first-order model included, for TestTrainingWithoutFusedProducts.
func TestDigestOfTraining(t *testing.T) {
	if os.Getenv(digestAsked) == "" {
		t.Skip("nobody asked")
	}
	data, err := Run(grammar("train", 60, 1), grammar("dev", 60, 2),
		Options{Seed: 5, Folds: 2, Workers: 1, Blocks: blocksOf, Tensor: 4})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("digest %x\n", sha256.Sum256(data))
}

// A processor that does not fuse a product and a sum trains the same segmenter,
// tagger, pruner, parser, labels and calibrators.
func TestTrainingWithoutFusedProducts(t *testing.T) {
	if runtime.GOARCH != "amd64" || testing.Short() {
		t.Skip("trains whole models; only amd64 has processors of both kinds")
	}
	var digests [2][]byte
	for i, debug := range []string{"", "cpu.fma=off"} {
		c := exec.Command(os.Args[0], "-test.run=^TestDigestOfTraining$", "-test.count=1")
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

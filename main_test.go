package treebeam_test

import (
	"os"
	"testing"

	"github.com/treebeam/treebeam/model/modeltest"
)

func TestMain(m *testing.M) {
	modeltest.SkipWithout("^Example", "^Test(PlacesOfWords|ConcurrentUse|Separators|NoText|ParseWords|LongSentence)$")
	os.Exit(m.Run())
}

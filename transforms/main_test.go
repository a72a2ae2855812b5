package transforms_test

import (
	"os"
	"testing"

	"github.com/treebeam/treebeam/model/modeltest"
)

func TestMain(m *testing.M) {
	modeltest.SkipWithout("^TestWordsCoverSentences$")
	os.Exit(m.Run())
}

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/spf13/cobra"

	"github.com/treebeam/treebeam/model/modeltest"
	"github.com/treebeam/treebeam/transforms/transformstest"
)

// toyFolder holds what trainedToy makes; TestMain removes it.
var toyFolder string

// asProgram in the environment makes the test binary treebeam itself, with the
// toy model.
const asProgram = "TREEBEAM_TEST_AS_PROGRAM"

// asNobody takes the rights of root from it.
const asNobody = "TREEBEAM_TEST_AS_NOBODY"

// asMeasured in the environment is the file that the process writes its peak
// in memory to, in bytes.
const asMeasured = "TREEBEAM_TEST_AS_MEASURED"

// peakMemory is the most memory that the process has had, 0 if unknown.
var peakMemory = func() int64 { return 0 }

// dropRights, where there is such a thing, makes the process that of a user
// without rights.
var dropRights = func() error { return nil }

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		if os.Getenv(asNobody) != "" {
			if err := dropRights(); err != nil {
				panic(err)
			}
		}
		transformstest.Register()
		if path := os.Getenv(asMeasured); path != "" {
			status := dispatch(context.Background(), os.Args[1:])
			if err := os.WriteFile(path, fmt.Append(nil, peakMemory()), 0o600); err != nil {
				panic(err)
			}
			os.Exit(status)
		}
		main()
	}
	modeltest.SkipWithout("^Test(SampleIsGolden|Constructions)$", "^Test(NightFlagsRefused|WrongCommands|NamesInMessages|Targets)$",
		"^TestHostileMemory/^(1,000_words.*|.*FEATS.*)$")
	status := m.Run()
	if toyFolder != "" {
		os.RemoveAll(toyFolder)
	}
	os.Exit(status)
}

var trainToy = sync.OnceValues(func() (path string, err error) {
	if toyFolder, err = os.MkdirTemp("", "treebeam-toy-*"); err != nil {
		return "", err
	}
	path = filepath.Join(toyFolder, "toy.tbm")
	return path, runTrain(context.Background(), []string{"--train", toyTrain, "--dev", toyDev, "--model", path,
		"--folds", "2", "--licence", "none", "--release", "1"})
})

// runTrain is treebeam train with args, and returns its error.
func runTrain(ctx context.Context, args []string) error { return runWith(ctx, newTrain(), args) }

// runWith runs a command with args, and returns its error.
func runWith(ctx context.Context, cmd *cobra.Command, args []string) error {
	root := &cobra.Command{Use: "treebeam", SilenceErrors: true, SilenceUsage: true}
	root.AddCommand(cmd)
	root.SetArgs(append([]string{cmd.Name()}, args...))
	return root.ExecuteContext(ctx)
}

// trainedToy is a model trained on the ten sentences of toyTrain, for tests
// that need a whole parser but not the embedded one. It is trained once.
func trainedToy(t *testing.T) string {
	t.Helper()
	path, err := trainToy()
	must(t, err)
	return path
}

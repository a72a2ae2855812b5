package model_test

import (
	"os"
	"testing"

	"github.com/treebeam/treebeam/model/modeltest"
)

func TestMain(m *testing.M) {
	modeltest.SkipWithout("^Test(EmbeddedCalibrator|EverydayLemmas|LemmasOfEverydayWords|Families|Lemmas2000|Shapes|WorkPerWordOnTheSample|CutsByKind|FrenchPronouns|RecipientMoves)$")
	os.Exit(m.Run())
}

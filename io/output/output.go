// Package output writes the results of a run into a folder and reads them. A Run fills
// the parts of each of its ranges (Parts), whose footers say what was read of every
// file. Run.Finish closes it with documents/, summary.json and manifest.json; an output
// with manifest.json is complete.
//
// Readers use a Reader, which takes no incomplete output for a complete one. A Run
// finds the ranges that are done or damaged. An Existing is a run as found in its
// folder, whether or not it has ended.
//
// An output may be in an object store: all access goes through package store.
package output

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/io/store"
)

// Names in an output folder.
const (
	OwnDir       = source.OwnDir // plans, temporary files, copied models
	CurrentFile  = source.CurrentFile
	SummaryFile  = "summary.json"
	ManifestFile = "manifest.json"
)

// kinds are the folders of an output that hold its parts.
var kinds = []string{"trees", "failures", "words", "documents"}

// WriteFile writes the file name in the output folder, whole or not at all.
func WriteFile(ctx context.Context, output, name string, data []byte) error {
	return store.WriteFile(ctx, store.Join(output, name), data, store.Options{Expect: store.Anything, Temp: tmpDir(output)})
}

// A Run describes a run to its output: where it writes, how many parts it has, and the
// provenance of the rows. It is plain data, and travels to workers.
type Run struct {
	Record
	Ranges    int    // how many; each has its parts: see parquet.PartID.Kinds
	Output    string // output folder; the plan is in it
	TrainedOn string // language and treebank of the model, for messages
	Redo      bool   // --retry-failures: ranges with rows of stage read are not done
	Verify    bool   // --verify: the parts of ranges that are done are read whole
	Token     string // what the file token in the output folder holds; "" if workers need not show that they see it
}

// PlanPath is where the run's plan is.
func (r *Run) PlanPath() string {
	return store.Join(r.Output, OwnDir, source.PlanName(r.FP))
}

func (r *Run) partID(k int) parquet.PartID {
	return parquet.PartID{Out: r.Output, K: k, N: r.Ranges, FP: r.FP, Words: r.Options.Words}
}

// name is the path of a part in the output folder.
func (r *Run) name(kind string, k int) string {
	return kind + "/" + parquet.PartName(k, r.Ranges, r.FP)
}

func (r *Run) documentsName() string { return "documents/" + parquet.PartName(0, 1, r.FP) }

// footer is what every part says of the run.
func (r *Run) footer() []parquet.KeyValue {
	options, err := json.Marshal(r.Options)
	if err != nil {
		panic(err) // plain data
	}
	return []parquet.KeyValue{{Key: "treebeam.model_digest", Value: r.ModelDigest}, {Key: "treebeam.options", Value: string(options)}}
}

// A Refusal is the error of work that was refused before anything was written. Its text
// names the cause and the remedy.
type Refusal struct{ Err error }

func (r *Refusal) Error() string { return r.Err.Error() }
func (r *Refusal) Unwrap() error { return r.Err }

// Refuse returns a *Refusal with a text formatted as by fmt.Errorf.
func Refuse(format string, a ...any) error { return &Refusal{fmt.Errorf(format, a...)} }

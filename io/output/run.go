package output

import (
	"maps"
	"slices"

	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/io/store"
)

// A Run is a run as its output knows it: where it writes, how many parts it
// has, and what made their rows. It is plain data, and travels to workers.
type Run struct {
	FP          string            // fingerprint, hex
	Ranges      int               // how many; each has a part of trees/ and one of failures/
	Output      string            // output folder; the plan is in it
	ModelDigest string            // of the model that makes the rows
	ModelID     string            // the column model_id
	TrainedOn   string            // language and treebank of the model, for messages
	Options     RowOptions        //
	Footer      map[string]string // provenance, written into every part
	Redo        bool              // --retry-failures: ranges with rows of stage read are not done
	Verify      bool              // --verify: the parts of ranges that are done are read whole
	Token       string            // what TokenFile in the output folder holds; "" if workers need not show that they see it
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

// footer is the run's provenance in the order of its keys.
func (r *Run) footer() []parquet.KeyValue {
	var list []parquet.KeyValue
	for _, key := range slices.Sorted(maps.Keys(r.Footer)) {
		list = append(list, parquet.KeyValue{Key: key, Value: r.Footer[key]})
	}
	return list
}

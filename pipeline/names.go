package pipeline

import "github.com/treebeam/treebeam/io/output"

// Names of package output that callers of this package have used so far.
type (
	Output     = output.Reader
	Row        = output.Row
	Converted  = output.Converted
	Provenance = output.Provenance
)

var (
	OpenOutput  = output.Open
	CheckOutput = output.Check
	ReadSummary = output.ReadSummary
	PartPaths   = output.PartPaths
)

package transforms

import "github.com/treebeam/treebeam/io/output"

// Names of package output that callers of this package have used so far.
type (
	Summary    = output.Summary
	Manifest   = output.Manifest
	Output     = output.Listed
	RowOptions = output.RowOptions
	Work       = output.Work
	Forecast   = output.Forecast
)

const (
	OwnDir        = output.OwnDir
	SummaryFile   = output.SummaryFile
	ManifestFile  = output.ManifestFile
	FormatVersion = output.FormatVersion
)

package transforms

import (
	"math"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/record"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/io/text"
)

// LeastPiece returns the function for source.PlanOptions.Least. From the
// first bytes of a file, it decides how small its pieces may be, in bytes. A file that
// cannot be read from the middle is not cut.
func LeastPiece(options output.RowOptions) func(in *source.Input, head []byte) int64 {
	const whole = math.MaxInt64
	rules, wrong := output.ParseRules(options.Rules)
	return func(in *source.Input, head []byte) int64 {
		if wrong != nil {
			return whole
		}
		o := rules.Options(&options, in)
		want, err := source.ParseFormat(o.From)
		if err != nil {
			return whole
		}
		format, err := source.Detect(in.URI, head, want, o.Encoding)
		if err != nil {
			return whole
		}
		switch format {
		case source.Text, source.Tokens, source.Vertical:
			layout, err := text.Decide(head, text.Options{Encoding: o.Encoding, Lines: text.Paragraph, StripHTML: o.StripHTML})
			if err != nil || !layout.Cuttable || o.Ranges && o.Document != output.ByLine {
				return whole // places of tokens are counted from the beginning
			}
		case source.CSV:
			return record.DefaultMaxRecord // a range may have to see so much to find a row
		}
		return 1
	}
}

package output

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/treebeam/treebeam/parser/syntax"
)

// Expected is syntax.Expected, and in JSON one list of its seven integers: the
// words that have probabilities, then right words and variance of UPOS, UAS and
// LAS. So parts, runs and nights add up exactly.
type Expected struct{ syntax.Expected }

// MarshalJSON implements json.Marshaler.
func (e Expected) MarshalJSON() ([]byte, error) {
	return json.Marshal([...]int64{e.Words, e.UPOS.Right, e.UPOS.Variance, e.UAS.Right, e.UAS.Variance, e.LAS.Right, e.LAS.Variance})
}

// UnmarshalJSON implements json.Unmarshaler.
func (e *Expected) UnmarshalJSON(text []byte) error {
	var list []int64
	if err := json.Unmarshal(text, &list); err != nil {
		return err
	}
	if len(list) != 7 {
		return fmt.Errorf("expected_sums has %d numbers, not 7", len(list))
	}
	estimate := func(i int) syntax.Estimate { return syntax.Estimate{Right: list[i], Variance: list[i+1]} }
	e.Expected = syntax.Expected{Words: list[0], UPOS: estimate(1), UAS: estimate(3), LAS: estimate(5)}
	return nil
}

// A Forecast says how good trees are without gold ones: the shares of their
// words, in [0,1], that are expected to have the right UPOS, head (UAS), and
// head and deprel (LAS), each with its standard error. In JSON they have six
// digits.
type Forecast struct {
	Words      int64 `json:"words"` // that have probabilities, over 0
	UPOS       share `json:"upos"`
	UPOSStderr share `json:"upos_stderr"`
	UAS        share `json:"uas"`
	UASStderr  share `json:"uas_stderr"`
	LAS        share `json:"las"`
	LASStderr  share `json:"las_stderr"`
}

// share is a number of which JSON has six digits behind the point.
type share float64

func (s share) MarshalJSON() ([]byte, error) {
	const digits = 1e6
	return json.Marshal(math.Round(float64(s)*digits) / digits)
}

// Forecast returns what is expected, nil if no word has probabilities.
func (e *Expected) Forecast() *Forecast {
	if e.Words == 0 {
		return nil
	}
	f := &Forecast{Words: e.Words}
	for _, x := range []struct {
		of            syntax.Estimate
		share, stderr *share
	}{{e.UPOS, &f.UPOS, &f.UPOSStderr}, {e.UAS, &f.UAS, &f.UASStderr}, {e.LAS, &f.LAS, &f.LASStderr}} {
		mean, stderr := x.of.Share(e.Words)
		*x.share, *x.stderr = share(mean), share(stderr)
	}
	return f
}

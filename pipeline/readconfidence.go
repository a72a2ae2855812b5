package pipeline

import (
	"math"
	"strconv"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/parser/syntax"
)

// ReadConfidence sets the confidence of a sentence that was written with --conf,
// from MISC and comments, where they stay. A column that a word lacks, or that
// holds no probability, is nil.
func ReadConfidence(s *syntax.Sentence) {
	c := &s.Confidence
	for _, column := range [...]struct {
		key string
		to  *[]float32
	}{{syntax.HeadConfKey, &c.HeadConf}, {syntax.DeprelConfKey, &c.DeprelConf}, {syntax.UPOSConfKey, &c.UPOSConf}} {
		list := make([]float32, 0, len(s.Words))
		for i := range s.Words {
			value, _ := syntax.Value(s.Words[i].Misc, column.key)
			p, ok := parseProbability(value)
			if !ok {
				break
			}
			list = append(list, p)
		}
		*column.to = nil
		if len(list) == len(s.Words) {
			*column.to = list
		}
	}
	for _, comment := range s.Comments {
		switch key, value := conllu.Comment(comment); key {
		case treeConfComment:
			c.TreeConf, c.HasTreeConf = parseProbability(value)
		case certificateComment:
			for k := syntax.All; k <= syntax.Bound; k++ {
				if k.String() == value {
					c.Certificate = k
				}
			}
		}
	}
}

// parseProbability reads what appendProbability wrote, to the last bit.
func parseProbability(text string) (p float32, ok bool) {
	const unit = 4096
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v >= 0 && v <= 1) {
		return 0, false
	}
	return float32(math.Round(v*unit) / unit), true
}

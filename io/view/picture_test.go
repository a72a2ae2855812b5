package view

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/treebeam/treebeam/io/parquet"
)

// In any tree, no two labels and no two words lie on each other, and all is
// inside the picture.
func TestPictures(t *testing.T) {
	chance := rand.New(rand.NewPCG(1, 2))
	list := nasty()
	for range 300 {
		n := 1 + chance.IntN(60)
		var words []string
		for i := range n {
			words = append(words, fmt.Sprintf("%.*s/%d", 1+chance.IntN(12), "wordwordword", chance.IntN(n+1)))
			if chance.IntN(9) == 0 {
				words[i] = "אבגד" + words[i]
			}
		}
		row := tree(words...)
		for i := range n {
			row.HeadMarginal[i] = chance.Float32()
			row.Deprel[i] = "label:of:an:arc"[:1+chance.IntN(15)]
		}
		list = append(list, row)
	}
	for _, row := range list {
		checkPicture(t, row)
	}
}

type box struct{ left, top, right, bottom float64 }

func (a box) overlaps(b box) bool {
	return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
}

func checkPicture(t *testing.T, row *parquet.Tree) {
	t.Helper()
	for _, o := range []pictureOptions{{limit: maxDrawn, conf: LowConf}, {maxDrawn, AllConf, true}, {limit: 7}} {
		checkPictureAs(t, row, o)
	}
}

func checkPictureAs(t *testing.T, row *parquet.Tree, o pictureOptions) {
	t.Helper()
	p := draw(row, o)
	if len(row.Tokens) == 0 {
		return
	}
	var boxes []box
	for _, a := range p.Arcs {
		boxes = append(boxes, box{a.LabelLeft, a.LabelTop, a.LabelLeft + a.LabelWidth, a.LabelTop + 14})
	}
	for _, w := range p.Words {
		half := pixels(w.Form, formSize) / 2
		boxes = append(boxes, box{w.X - half, float64(p.FormY - 12), w.X + half, float64(p.FormY)})
		below := func(text string, y int) {
			if half := pixels(text, tagSize) / 2; text != "" {
				boxes = append(boxes, box{w.X - half, float64(y - 9), w.X + half, float64(y)})
			}
		}
		below(w.Tag, p.TagY)
		below(w.Lemma, p.LemmaY)
		below(w.Probability, p.ProbabilityY)
	}
	for i, a := range boxes {
		if a.left < 0 || a.top < 0 || a.right > float64(p.Width) || a.bottom > float64(p.Height) {
			t.Fatalf("%q: %v is outside of %d x %d", row.Text, a, p.Width, p.Height)
		}
		for _, b := range boxes[:i] {
			if a.overlaps(b) {
				t.Fatalf("%q: %v and %v overlap", row.Text, a, b)
			}
		}
	}
	if drawn := p.Last - p.First + 1; drawn > o.limit || len(p.Arcs) > drawn {
		t.Fatalf("%d words, %d arcs", drawn, len(p.Arcs))
	}
}

// The arcs of a projective tree do not cross: an arc is above all that are
// within it.
func TestLevels(t *testing.T) {
	row := tree("a/2", "b/5", "c/4", "d/2", "e/0", "f/8", "g/8", "h/5")
	p := draw(row, pictureOptions{limit: maxDrawn, conf: LowConf})
	y := map[string]float64{}
	for i, a := range p.Arcs {
		y[p.Words[i].Form] = float64(p.Base) - a.LabelY
	}
	for _, pair := range [][2]string{{"a", "b"}, {"c", "d"}, {"d", "b"}, {"g", "f"}, {"f", "h"}, {"b", "e"}, {"h", "e"}} {
		if y[pair[0]] >= y[pair[1]] {
			t.Errorf("the arc of %s is not below that of %s: %v", pair[0], pair[1], y)
		}
	}
}

func TestRightToLeftPicture(t *testing.T) {
	p := draw(nasty()[1], pictureOptions{limit: maxDrawn, conf: LowConf})
	if !p.RightToLeft || p.Words[0].X < p.Words[1].X {
		t.Errorf("%+v", p.Words)
	}
	if p := draw(nasty()[0], pictureOptions{limit: maxDrawn, conf: LowConf}); p.RightToLeft || p.Words[0].X > p.Words[1].X {
		t.Errorf("%+v", p.Words)
	}
}

// A picture of the report is no wider than the page, whatever the words are.
func TestDrawWithin(t *testing.T) {
	for _, row := range nasty() {
		p := drawWithin(row, pictureOptions{limit: maxDrawn, conf: LowConf}, maxPicture)
		if p.Width > maxPicture || len(row.Tokens) > 0 && p.Last < p.First {
			t.Errorf("%s: %d pixels for the words %d to %d", row.SentID, p.Width, p.First, p.Last)
		}
	}
}

package train

import "testing"

func TestOwnSetting(t *testing.T) {
	train := toyTreebank("train", 12)
	for _, gold := range []bool{false, true} {
		tr := &trainer{Options: Options{GoldTags: gold}, train: train, dev: train}
		want := GoldTokens
		if gold {
			want = GoldTags
		}
		if got := OwnSetting(tr.provenance()); got != want {
			t.Errorf("gold tags %t: %s", gold, got)
		}
	}
}

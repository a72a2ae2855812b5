package segment

import "testing"

func TestPortuguese(t *testing.T) {
	for block, want := range map[string]string{
		"Ada diga-me pears.":          "Ada diga _- _me pears _. \n",
		"Ada encontraram-no pears.":   "Ada encontraram _- _no pears _. \n",
		"Ada far-se-á pears.":         "Ada far _- _se _- _á pears _. \n",
		"Ada ajudá-lo pears.":         "Ada ajudá _- _lo pears _. \n",
		"Ada x.org/diga-me, a@vê-lo.": "Ada x.org/diga-me _, a@vê-lo _. \n",
	} {
		list := model(t).Segment(block, Request{Language: "pt"})
		check(t, block, list)
		if got := describe(list); got != want {
			t.Errorf("%s: %q", block, got)
		}
	}
	for form, want := range map[string]bool{"guarda-chuva": false, "bem-te-vi": false, "Yu-na": false, "ponha-o": true, "vê-lo-emos": true, "corpo-a-corpo": false} {
		if verbWithPronoun().MatchString(form) != want {
			t.Errorf("%s: %v", form, !want)
		}
	}
}

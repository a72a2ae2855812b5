package language

import "testing"

func TestCode(t *testing.T) {
	for tag, want := range map[string]string{
		"nb": "no", "nn": "no", "nob": "no", "no": "no", "iw": "he", "in": "id", "zh-CN": "zh", "zh_TW": "zh", "cmn": "zh",
		"pt-BR": "pt", "sr-Latn": "sr", "EN": "en", "deu": "de", "ger": "de", "fra": "fr", "en-US": "en",
		"": "", "und": "", "auto": "", "german": "", "x": "",
	} {
		if got := Code(tag); got != want {
			t.Errorf("%s: %q, want %q", tag, got, want)
		}
	}
}

package segment

import (
	"strings"
	"testing"
)

// Where a sentence ends in languages other than English, | marks it.
func TestEndsAsWritten(t *testing.T) {
	for _, test := range []struct{ language, want string }{
		{"de", "Ada sees Zuri?|Wozu dann?|Ada sees Bela."},
		{"de", "Ada sees Zuri? 😀|Xaver sees Bela."},
		{"es", "Ada sees Zuri!|– Xaver sees Bela."},
		{"hi", "राम कहाँ है?|सीता है."},
		{"ru", "А. С. Попов sees Bela."}, {"uk", "Т. Г. Шевченко sees Bela."},
		{"uk", "Ada sees 2023 р. населення."}, {"cs", "Ada sees 3. 10. boats."},
		{"ka", "Ada sees pears.|Bela sees Zuri."},
		{"sv", "Ada sees Bela.|– Zuri sees Ada."},
		{"ko", "\"철수는 어디 있어?\" 영희가 물었다."},
		{"es", "Ada sees pueblo.|Vete."},
		{"cs", "Ada sees...|Bela sees…|Ada sees."}, {"he", "Ada sees... ada sees."},
		{"de", "Ada sees Hauptstr. 5 boats."}, {"fr", "Ada sees art. 5 boats."},
	} {
		block := strings.ReplaceAll(test.want, "|", " ")
		list := model(t).Segment(block, Request{Language: test.language})
		check(t, block, list)
		var got []string
		for _, s := range list {
			got = append(got, s.Text)
		}
		if strings.Join(got, "|") != test.want {
			t.Errorf("%s: %q, want %s", test.language, got, test.want)
		}
	}
}

func TestBriefAbbreviations(t *testing.T) {
	for word, want := range map[string]bool{
		"р": true, "стр": true, "Nr": true, "bl": true, "10": true,
		"": false, "ВКЛ": false, "2024": false, "ok": false, "да": false, "მიერ": false, "했다": false, "1a": false,
	} {
		if isBrief(word) != want {
			t.Errorf("%s: %v", word, !want)
		}
	}
}

func TestQuotesAreTokens(t *testing.T) {
	for block, want := range map[string]string{
		"«Ada» sees „pears“...": "« _Ada _» sees „ _pears _“ _... \n",
		"Ada sees «pears...»":   "Ada sees « _pears _... _» \n",
	} {
		list := model(t).Segment(block, Request{Language: "uk"})
		check(t, block, list)
		if got := describe(list); got != want {
			t.Errorf("%s: %s", block, got)
		}
	}
}

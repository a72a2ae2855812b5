package model_test

import (
	"strings"
	"testing"

	"github.com/treebeam/treebeam/model"
)

// TestCutsByKind cuts texts of ours where rules, not weights, decide on the ends of
// sentences. Sentences are apart by " | ".
func TestCutsByKind(t *testing.T) {
	m := must(model.Open(""))
	for _, c := range []struct{ kind, text, want string }{
		{"footnote", "The mayor declined to comment.² Her deputy agreed.", "The mayor declined to comment . ² | Her deputy agreed ."},
		{"footnote", "Sales rose in May.[14] They fell in June.", "Sales rose in May . [ 14 ] | They fell in June ."},
		{"footnote", "² The figures are for adults.", "² The figures are for adults ."},
		{"break", "* * *", "* * *"},
		{"break", "The door closed.\n\n- - -\n\nNobody moved.", "The door closed . | - - - | Nobody moved ."},
		{"reporting", "\"Is anyone home?\" Grandma asked.", "\" Is anyone home ? \" Grandma asked ."},
		{"reporting", "“Run!” Mr. Hale shouted loudly. Nobody ran.", "“ Run ! ” Mr. Hale shouted loudly . | Nobody ran ."},
		{"reporting", "\"Is it far?\" Ann asked softly.", "\" Is it far ? \" Ann asked softly ."},
		{"reporting", "\"Who knows?\" Peter left the room.", "\" Who knows ? \" | Peter left the room ."},
		{"closing", "My shop is on Main St. It opens at nine.", "My shop is on Main St. | It opens at nine ."},
		{"closing", "Send it to Brown Corp. They will pay.", "Send it to Brown Corp. | They will pay ."},
		{"closing", "We flew from St. Paul to Rome.", "We flew from St. Paul to Rome ."},
		{"unit", "The wall is 3 ft. thick.", "The wall is 3 ft. thick ."},
		{"unit", "It is 6 ft. 2 in. high.", "It is 6 ft. 2 in . high ."},
		{"plural", "The mayor owes the voters better answers.", "The mayor owes the voters better answers ."},
		{"plural", "thats what the teachers said", "that s what the teachers said"},
		{"unit", "Please come in. thanks", "Please come in . | thanks"},
	} {
		var got []string
		for block := range strings.SplitSeq(c.text, "\n\n") {
			for _, s := range m.Segment(block, 0) {
				var forms []string
				for i := range s.Words {
					forms = append(forms, s.Words[i].Form)
				}
				got = append(got, strings.Join(forms, " "))
			}
		}
		if list := strings.Join(got, " | "); list != c.want {
			t.Errorf("%s: %s\ngot  %s\nwant %s", c.kind, c.text, list, c.want)
		}
	}
}

// TestFrenchPronouns: a pronoun behind its verb is a token of its own.
func TestFrenchPronouns(t *testing.T) {
	languages := must(model.OpenLanguages("", "fr"))
	m := must(languages.Of("fr"))
	for text, want := range map[string]string{
		"Où vas-tu ?":                             "Où vas -tu ?",
		"« Qui es-tu ? » murmura-t-elle.":         "« Qui es -tu ? » murmura -t-elle .",
		"Prête-le-moi.":                           "Prête -le -moi .",
		"Où dors‑tu, l'ami ?":                     "Où dors ‑tu , l' ami ?",
		"Fais comme chez-toi avec celui-là.":      "Fais comme chez-toi avec celui-là .",
		"Peut-être t'aime-t-il, cet arc-en-ciel.": "Peut-être t' aime -t-il , cet arc-en-ciel .",
	} {
		var forms []string
		for _, s := range m.Segment(text, 0) {
			for i := range s.Words {
				forms = append(forms, s.Words[i].Form)
			}
		}
		if got := strings.Join(forms, " "); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

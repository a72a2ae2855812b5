package text

import (
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/text/encoding/htmlindex"
)

func TestSuspect(t *testing.T) {
	for _, c := range []struct{ name, text string }{
		{"windows-1252", "L'été dernier, les élèves de la région ont visité le château, où l'on a préparé un goûter très apprécié."},
		{"windows-1252", "In “modern” English it’s mostly a café or a naïve façade – hardly more than that, they’re rare, aren’t they?"},
		{"windows-1254", "Dün akşam çocuklar bahçede oynuyordu; sonra yağmur başladı ve hepsi içeri kaçtı. Işığı söndürüp uyudular."},
		{"iso-8859-7", "Το καλοκαίρι τα παιδιά έπαιζαν στην αυλή και οι γονείς τους μιλούσαν για τις διακοπές και τη θάλασσα."},
		{"windows-1251", "Вечером дети играли во дворе, а потом пошёл дождь, и все побежали домой. Мы закрыли окна и легли спать."},
		{"koi8-r", "Вечером дети играли во дворе, а потом пошёл дождь, и все побежали домой. Мы закрыли окна и легли спать."},
		{"shift_jis", "夏休みに子供たちは庭で遊んでいました。それから雨が降り始めたので、みんな家に帰りました。"},
		{"gb18030", "昨天晚上孩子们在院子里玩，后来下雨了，大家都跑回家。我们关上窗户，然后睡觉。这是一个很长的故事，没有人知道结局。"},
	} {
		enc, err := lookup(c.name)
		if err != nil {
			t.Fatal(err)
		}
		data, err := enc.enc.NewEncoder().String(strings.Repeat(c.text+" ", 3))
		if err != nil {
			t.Fatal(err)
		}
		got := Suspect([]byte(data))
		if got != c.name {
			t.Errorf("%.30s as %s: got %q", c.text, c.name, got)
		}
		if err := (Options{Encoding: got}).Validate(); err != nil {
			t.Error(err)
		}
	}
	noise := make([]byte, 4096)
	for i, rng := 0, rand.New(rand.NewPCG(1, 1)); i < len(noise); i++ {
		noise[i] = byte(rng.Uint32())
	}
	for name, data := range map[string]string{
		"noise": string(noise), "nothing": "", "a byte": "\xff", "a tail of NULs": "Some text.\n" + strings.Repeat("\x00", 4096), "mostly UTF-8": strings.Repeat("Καλημέρα σε όλους. ", 50) + "\xff",
	} {
		if got := Suspect([]byte(data)); got != "" {
			t.Errorf("%s: got %q", name, got)
		}
	}
}

func TestSuspectIsTheSame(t *testing.T) {
	enc, _ := htmlindex.Get("iso-8859-2")
	data, _ := enc.NewEncoder().String(strings.Repeat("Žluťoučký kůň. Příliš žluťoučký. ", 4))
	want := Suspect([]byte(data))
	for range 200 {
		if got := Suspect([]byte(data)); got != want {
			t.Fatalf("got %q after %q", got, want)
		}
	}
}

func FuzzSuspect(f *testing.F) {
	f.Add([]byte("caf\xe9"))
	f.Add([]byte("\x1b$BF|K\\\x1b(B"))
	f.Add([]byte("\x8f\xa2\xaf\x8e\xb1\x81\x30\x81\x30"))
	f.Fuzz(func(t *testing.T, head []byte) {
		if got := Suspect(head); got != "" {
			if err := (Options{Encoding: got}).Validate(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

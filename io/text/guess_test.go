package text

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestGuessLines(t *testing.T) {
	wrapped := strings.TrimSpace(fold(strings.Repeat("the quick brown fox jumps over a lazy dog and runs away into the deep forest. Nobody saw it again until spring came back.", 30), 60))
	line := strings.Repeat("This is a paragraph on a line of its own, longer than any margin would have it be. ", 4)
	for name, c := range map[string]struct {
		text string
		want Lines
	}{
		"wrapped":        {wrapped, Wrapped},
		"wrapped, caps":  {strings.ToUpper(wrapped), Wrapped},
		"one break":      {"It was a long\nday.", Wrapped},
		"paragraphs":     {strings.Repeat(line+"\n", 20), Paragraph},
		"sentences":      {"One sentence here.\nAnother one, which is longer.\nShort.\nAnd so on it goes.\nThe end of it.\n", Paragraph},
		"many sentences": {strings.Repeat("One sentence here.\nAnother one, which is longer, by a word.\nShort!\n\n", 10), Sentence},
		"few long lines": {strings.Repeat("Two sentences are here. They stand on one line.\nShort.\n", 30), Paragraph},
		"han sentences":  {strings.Repeat("我们今天去公园看花。\n然后回家吃饭。\n", 20), Sentence},
		"han paragraphs": {strings.Repeat("我们今天去公园。看花。\n然后回家。吃饭吧，我们。\n", 20), Paragraph},
		"verse":          {"When in the evening all the lamps are lit,\nAnd down the street the last of all the carts,\nGoes home, and those who have a chair will sit,\nThe other life of all the city starts.\n", Wrapped},
		"names":          {strings.Repeat("Ada Brown\nBela Green\nCora White\nDino Black Jr.\n", 20), Paragraph},
		"a word list":    {strings.Repeat("aback\nabacus\nabandon\nabase\n", 20), Paragraph},
		"quoted mail":    {"> I have been asking myself all day what the\n> letter from your sister may mean, and why\n> nobody told me anything about it before he\n> went away. Please write soon.\n", Wrapped},
		"headlines":      {"Man bites dog\nElections held in the whole of the country\nRain\nNew bridge opens\nA cat comes home\nWeather\n", Paragraph},
		"blank between":  {"One paragraph.\n\nAnother paragraph.\n\nA third.\n", Paragraph},
		"empty":          {"", Paragraph},
		"han, wrapped":   {strings.Repeat("我们今天去公园看花然后回家吃饭\n", 20), Wrapped},
		"one line":       {"one line", Paragraph},
		"upper and full": {"A B C\nD E\nF", Paragraph},
	} {
		if got := decide(t, c.text, Options{}).Lines; got != c.want {
			t.Errorf("%s: got %s", name, got)
		}
	}
}

func TestGuessLinesOnAddresses(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join("..", "..", "..", "shared", "corpora", "state_union", "*.txt"))
	if len(files) == 0 {
		t.Skip("../shared is absent")
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		must(t, err)
		if got := decide(t, string(data), Options{}).Lines; got != Paragraph {
			t.Errorf("%s: got %s", filepath.Base(name), got)
		}
		if got := decide(t, fold(string(data), 72), Options{}).Lines; got != Wrapped {
			t.Errorf("%s, folded: got %s", filepath.Base(name), got)
		}
	}
}

// fold breaks lines at a margin.
func fold(text string, margin int) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		n := 0
		for _, w := range strings.Fields(line) {
			if n > 0 && n+1+len(w) > margin {
				b.WriteByte('\n')
				n = 0
			} else if n > 0 {
				b.WriteByte(' ')
				n++
			}
			b.WriteString(w)
			n += len(w)
		}
		b.WriteString("\n\n")
	}
	return b.String()
}

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
		must(t, err)
		data, err := enc.enc.NewEncoder().String(strings.Repeat(c.text+" ", 3))
		must(t, err)
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

func FuzzSuspect(f *testing.F) {
	f.Add([]byte("caf\xe9"))
	f.Add([]byte(strings.Repeat("\xaelu\xbbou\xe8k\xfd k\xf9\xf2. P\xf8\xedli\xb9 \xbelu\xbbou\xe8k\xfd. ", 4))) // Czech, which several fit
	f.Add([]byte("\x1b$BF|K\\\x1b(B"))
	f.Add([]byte("\x8f\xa2\xaf\x8e\xb1\x81\x30\x81\x30"))
	f.Fuzz(func(t *testing.T, head []byte) {
		got := Suspect(head)
		if got != "" {
			must(t, (Options{Encoding: got}).Validate())
		}
		for range 20 {
			if again := Suspect(head); again != got {
				t.Fatalf("%q after %q", again, got)
			}
		}
	})
}

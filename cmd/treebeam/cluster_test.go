package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/cluster"
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/word"
)

// corpusOf writes files of sentences, one a line with spaces between words, and
// returns their folder and the sentences.
func corpusOf(t *testing.T, files int) (dir string, sentences [][]string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "corpus")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	r := hash.Rand(7)
	for i := range files {
		var text strings.Builder
		for range 60 {
			var s []string
			for range 2 + r.Below(9) {
				s = append(s, fmt.Sprintf("wörd%d", r.Below(1+r.Below(80))))
			}
			s = append(s, "’s")
			text.WriteString(strings.Join(s, " ") + "\n")
			for j := range s {
				s[j] = word.Plain(s[j])
			}
			sentences = append(sentences, s)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint("text", i, ".txt")), []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir, sentences
}

// The classes are those of the words of the text, however many ranges and threads
// have counted them, and nothing but them is left.
func TestClusterCountsWithBeam(t *testing.T) {
	dir, sentences := corpusOf(t, 5)
	want, err := cluster.Brown(cluster.CountSentences(sentences, 3, 60), 12, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, more := range []string{"", "--range-bytes 300", "--range-bytes 5000 --threads 2", "--runner prism"} {
		file := filepath.Join(filepath.Dir(dir), "classes.tsv")
		args := append([]string{"cluster", dir, "-o", file, "--from", "tokens", "--classes", "12", "--min-count", "3", "--vocabulary", "60"},
			strings.Fields(more)...)
		status, stdout, stderr := treebeam(t, "", args...)
		if status != exitOK || stdout != "" || !strings.Contains(stderr, "60 words in 12 classes") {
			t.Fatalf("%s: status %d\n%s%s", more, status, stdout, stderr)
		}
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		got, err := cluster.Read(f)
		f.Close()
		if err != nil || !slices.Equal(got.Rows, want.Rows) {
			t.Fatalf("%s: %v %v, want %v", more, err, got, want)
		}
		if left, _ := os.ReadDir(filepath.Dir(file)); len(left) != 2 {
			t.Fatalf("%s: %v is left", more, left)
		}
	}
}

func TestClusterMethods(t *testing.T) {
	dir, sentences := corpusOf(t, 2)
	var c cluster.Collector
	for _, s := range sentences {
		if err := c.Add(s); err != nil {
			t.Fatal(err)
		}
	}
	text := c.Text(2, 1000)
	for method, learn := range map[string]func(*cluster.Text, int, int, uint64, func(int, int)) (*cluster.Table, error){
		"hmm": cluster.HMM, "type": cluster.Type,
	} {
		want, err := learn(text, 5, 2, 9, nil)
		if err != nil {
			t.Fatal(err)
		}
		var file strings.Builder
		if err := want.Write(&file); err != nil {
			t.Fatal(err)
		}
		status, stdout, stderr := treebeam(t, "", "cluster", dir, "-o", "-", "--from", "tokens", "--method", method,
			"--classes", "5", "--passes", "2", "--seed", "9", "-q", "--range-bytes", "500")
		if status != exitOK || stderr != "" || stdout != file.String() {
			t.Errorf("%s: status %d, %s\n%s, want\n%s", method, status, stderr, stdout, file.String())
		}
	}
}

// One is no plural, and thousands are grouped.
func TestClusterSaysHowMany(t *testing.T) {
	t.Chdir(t.TempDir())
	for text, want := range map[string]string{
		"a b\n":                       "read 2 words in 1 sentence\nclustering 2 of 2 forms, by 3 bigrams\nx: 2 words in 2 classes\n",
		strings.Repeat("a\nb\n", 900): "read 1,800 words in 1,800 sentences\nclustering 2 of 2 forms, by 4 bigrams\nx: 2 words in 2 classes\n",
	} {
		must(t, os.WriteFile("in.txt", []byte(text), 0o644))
		if status, _, stderr := treebeam(t, "", "cluster", "in.txt", "--from", "tokens", "-o", "x", "--min-count", "1"); status != exitOK || stderr != want {
			t.Errorf("status %d, %s, want %s", status, stderr, want)
		}
	}
	if got := plural(1, "class") + plural(2, "class"); got != "1 class2 classes" {
		t.Error(got)
	}
}

// Words that are too long for a class are counted, by all methods.
func TestClusterSaysWhatIsTooLong(t *testing.T) {
	t.Chdir(t.TempDir())
	long := strings.Repeat("x", cluster.MaxWord+1)
	must(t, os.WriteFile("in.txt", []byte(strings.Repeat("a "+long+" b\n", 3)+"a "+long[1:]+"\n"), 0o644))
	for _, method := range []string{"brown", "hmm", "type"} {
		want := "read 11 words in 4 sentences\n3 words of over 255 bytes left out\n"
		if status, _, stderr := treebeam(t, "", "cluster", "in.txt", "--from", "tokens", "-o", "x", "--method", method); status != exitOK || !strings.HasPrefix(stderr, want) {
			t.Errorf("%s: status %d, %s, want %s", method, status, stderr, want)
		}
	}
}

func TestClusterRefuses(t *testing.T) {
	dir, _ := corpusOf(t, 1)
	runner := flag.Lookup("runner").Value.String()
	for args, want := range map[string]string{
		"":                                  "name a file for the classes",
		"-o x --method tree":                "must be brown, hmm or type",
		"-o x --classes 5000":               "from 2 to 4096",
		"-o x --classes 300 --method hmm":   "from 2 to 256",
		"-o x --classes 1":                  "from 2 to 4096",
		"-o x --classes 1 --method hmm":     "from 2 to 256",
		"-o x --vocabulary 1 --method type": "from 2 to",
		"-o x --min-count 0":                "must be 1 or more",
		"-o x --vocabulary 0":               "from 2 to",
		"-o x --passes -1 --method type":    "from 1 to 1000",
		"-o x --seed 3":                     "are for --method hmm and type",
		"-o x --method hmm --runner flink":  "learns in this process",
		"-o -":                              "--work FOLDER",
		"-o x --from nonsense":              "nonsense",
		"-o x --method hmm --from nonsense": "nonsense",
		"-o no/such/folder/x":               "cannot be written",
	} {
		t.Chdir(t.TempDir())
		status, stdout, stderr := treebeam(t, "", append([]string{"cluster", dir}, strings.Fields(args)...)...)
		flag.Set("runner", runner) // the flags are the process's
		if status != exitRefused || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("%s: status %d, %s%s, want %q", args, status, stdout, stderr, want)
		}
		if left, _ := os.ReadDir("."); len(left) != 0 {
			t.Errorf("%s: %v is left", args, left)
		}
	}
	for _, file := range []string{"text0.txt", "text0.txt.bz2"} {
		if status, _, stderr := treebeam(t, "", "cluster", dir, "-o", filepath.Join(dir, file), "--from", "tokens"); status != exitRefused ||
			!strings.Contains(stderr, "text0.txt is one of the inputs: it would be lost") && !strings.Contains(stderr, ".bz2 is not written") {
			t.Errorf("status %d, %s", status, stderr)
		}
	}
	must(t, os.WriteFile("m.tbm", nil, 0o644))
	if status, _, stderr := treebeam(t, "", "cluster", dir, "-o", "m.tbm", "--model", "m.tbm"); status != exitRefused || !strings.Contains(stderr, "m.tbm is the model") {
		t.Errorf("status %d, %s", status, stderr)
	}
	if status, _, stderr := treebeam(t, "", "cluster", dir, "-o", "x", "--from", "tokens", "--work", dir); status != exitRefused || !strings.Contains(stderr, "text0.txt in it") {
		t.Errorf("status %d, %s", status, stderr)
	}
	if status, _, stderr := treebeam(t, "", "cluster", dir, "-o", "x", "--from", "tokens", "--min-count", "1000000"); status != exitFailed || !strings.Contains(stderr, "lower --min-count") {
		t.Errorf("status %d, %s", status, stderr)
	}
	must(t, os.WriteFile("word.txt", []byte("a a\na b\n"), 0o644))
	must(t, os.WriteFile("alike.txt", []byte("a\nb\na\nb\na\nb\n"), 0o644))
	for _, method := range []string{"brown", "hmm", "type"} { // one class would have no bits
		if method != "brown" {
			if status, _, stderr := treebeam(t, "", "cluster", "alike.txt", "-o", "x", "--from", "tokens", "--method", method, "--passes", "1", "--classes", "2"); status != exitFailed || !strings.Contains(stderr, "all words got the same class") {
				t.Errorf("%s: status %d, %s", method, status, stderr)
			}
		}
		status, _, stderr := treebeam(t, "", "cluster", "word.txt", "-o", "x", "--method", method)
		if status != exitFailed || !strings.Contains(stderr, "only one word occurs 2 times or more") || !strings.Contains(stderr, "lower --min-count") {
			t.Errorf("%s: status %d, %s", method, status, stderr)
		}
	}
	must(t, os.WriteFile("empty.txt", nil, 0o644), os.WriteFile("broken.txt", []byte("\xff\xfe\x00\x00\x01\x02\x03"), 0o644))
	for _, method := range []string{"brown", "hmm", "type"} {
		if status, _, stderr := treebeam(t, "", "cluster", "empty.txt", "-o", "x", "--method", method); status != exitFailed || !strings.Contains(stderr, "no word in the input") {
			t.Errorf("%s: status %d, %s", method, status, stderr)
		}
		if status, _, stderr := treebeam(t, "", "cluster", "broken.txt", "-o", "x", "--method", method); status != exitFailures || !strings.Contains(stderr, "1 file or sentence could not be read; treebeam parse says which, and why\nnothing could be read\n") {
			t.Errorf("%s: status %d, %s", method, status, stderr)
		}
	}
	if _, err := os.Stat("x"); err == nil {
		t.Error("a file was written")
	}
}

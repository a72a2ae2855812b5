package source

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// openLive opens r, and counts the pauses.
func openLive(t *testing.T, r io.Reader) (*File, *int) {
	t.Helper()
	pauses := new(int)
	f, err := OpenLive(context.Background(), &Input{URI: "-", DocID: "-", Version: liveVersion}, r, func() error {
		*pauses++
		return nil
	})
	must(t, err)
	t.Cleanup(func() { f.Close() })
	return f, pauses
}

func TestLiveIsDecompressed(t *testing.T) {
	text := strings.Repeat("One line of text.\n", 5000)
	var zipped, standard bytes.Buffer
	gz := gzip.NewWriter(&zipped)
	io.WriteString(gz, text)
	gz.Close()
	zs, err := zstd.NewWriter(&standard)
	must(t, err)
	io.WriteString(zs, text)
	zs.Close()
	stored := map[string]string{"plain": text, "gzip": zipped.String(), "zstd": standard.String(), "B": "BZ is no magic\n", "empty": ""}
	if bzip2, err := exec.LookPath("bzip2"); err == nil {
		cmd := exec.Command(bzip2)
		cmd.Stdin = strings.NewReader(text)
		out, err := cmd.Output()
		must(t, err)
		stored["bzip2"] = string(out)
	}
	for name, data := range stored {
		want := text
		if len(data) < 20 {
			want = data
		}
		for _, r := range []io.Reader{strings.NewReader(data), iotest.OneByteReader(strings.NewReader(data))} {
			f, _ := openLive(t, r)
			head, err := f.Head()
			if err != nil || !strings.HasPrefix(want, string(head)) || strings.Count(string(head), "\n") > 1 {
				t.Errorf("%s: head %q, %v", name, head, err)
			}
			at, err := f.At(0)
			must(t, err)
			if got, err := io.ReadAll(at); err != nil || string(got) != want {
				t.Errorf("%s: %d bytes, want %d; %v", name, len(got), len(want), err)
			}
			if _, err := f.Sum(context.Background()); !errors.Is(err, ErrOnce) {
				t.Errorf("%s: it has a sum, %v", name, err)
			}
			if err := f.Verify(); err != nil {
				t.Error(err)
			}
			if _, err := f.At(0); err == nil {
				t.Errorf("%s: can be read twice", name)
			}
		}
	}
}

// The head ends where it tells enough, and not before.
func TestLiveHead(t *testing.T) {
	row := "1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n"
	for head, more := range map[string]string{
		"Text.\n":                            "and more",
		"\n \nText\n":                        "and more",
		"# a heading\nText\n":                "and more",
		"# sent_id = 1\n" + row + "\n":       row,
		row + row + "\n":                     row,
		"{\"text\": \"a\"}\n":                "{",
		"{\n\"text\": \"a\"}\n":              "",
		"control \x01 byte\nand more\n":      "",
		bom + "# sent_id = 1\n" + row + "\n": row,
		bom + "\nText\n":                     "and more",
		bom + "{\n\"text\": \"a\"}\n":        "",
		"no line end":                        "",
		"":                                   "",
	} {
		f, pauses := openLive(t, iotest.DataErrReader(strings.NewReader(head+more)))
		if got, err := f.Head(); err != nil || string(got) != head {
			t.Errorf("%q: head %q, %v", head+more, got, err)
		}
		if *pauses > 2 {
			t.Errorf("%q: %d pauses", head, *pauses)
		}
	}
	for _, header := range []string{"a,b\n", "a,\"b\nc\"\n", "\n\"a\n\"\"\"\"\n\";b\n", bom + "\"a\nb\"\n", "5\" or 6\",\"\",7\"\n"} {
		f, _ := openLive(t, strings.NewReader(header+"1,\"2\"\n3,4\n"))
		f.Expect(CSV)
		if head, err := f.Head(); err != nil || string(head) != header {
			t.Errorf("%q: head %q, %v", header, head, err)
		}
	}
	f, _ := openLive(t, strings.NewReader(strings.Repeat("x", 2*HeadBytes)))
	if got, _ := f.Head(); len(got) != HeadBytes {
		t.Errorf("head of %d bytes", len(got))
	}
}

// The head of a live file is looked at once, whatever its lines are.
func TestLiveHeadIsLinear(t *testing.T) {
	for _, line := range []string{
		"\n", "\r\n", "\r", " \n", "\t\n", "\f\n", "\u2028\n", "#\n", "# a\tb\n", "1\ta\n", "\ufeff\n", "\ufeff#\n",
		"\x01\n", "{\n", "[\n", "{}\n", "1\n", "x\r", "1\tx\r\n",
	} {
		text := strings.Repeat(line, 2*HeadBytes/len(line))
		for _, format := range []Format{Auto, CSV} {
			f, _ := openLive(t, strings.NewReader(text))
			f.Expect(format)
			head, err := f.Head()
			if err != nil || !strings.HasPrefix(text, string(head)) || len(head) > HeadBytes {
				t.Errorf("%q: head of %d bytes, %v", line, len(head), err)
			}
			if f.live.looked > len(head) {
				t.Errorf("%q: looked at %d bytes of a head of %d", line, f.live.looked, len(head))
			}
		}
	}
}

func TestLiveErrors(t *testing.T) {
	broken := errors.New("broken")
	f, _ := openLive(t, io.MultiReader(strings.NewReader("One line.\nTwo"), iotest.ErrReader(broken)))
	if _, err := f.Head(); err != nil {
		t.Fatal(err)
	}
	r, err := f.At(0)
	must(t, err)
	got, err := io.ReadAll(r)
	var fault *Error
	if string(got) != "One line.\nTwo" || !errors.As(err, &fault) || !errors.Is(err, broken) || fault.Kind != Transient {
		t.Errorf("%q, %v", got, err)
	}

	ctx, cancel := context.WithCancel(context.Background())
	waiting, w := io.Pipe()
	defer w.Close()
	defer waiting.Close()
	if _, err := OpenLive(ctx, &Input{URI: "-"}, waiting, func() error { cancel(); return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

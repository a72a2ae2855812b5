// Command words writes sentences of made-up words, whose frequencies are those of
// Zipf's law: text of any length, for measuring what counts words.
//
//	go run ./bench/words -n 100000000 > words.txt
package main

import (
	"bufio"
	"flag"
	"log"
	"math"
	"os"
	"strconv"

	"github.com/treebeam/treebeam/parser/hash"
)

func main() {
	n := flag.Int("n", 1_000_000, "write `N` words, 20 on a line")
	forms := flag.Int("forms", 3_000_000, "draw them from `N` forms")
	seed := flag.Uint64("seed", 1, "seed, `N`")
	flag.Parse()
	if *n < 0 || *forms < 1 {
		log.Fatal("-n must not be negative, -forms must be positive")
	}
	w := bufio.NewWriterSize(os.Stdout, 1<<20)
	r := hash.Rand(*seed)
	scale := math.Log(float64(*forms))
	var word []byte
	for i := range *n {
		rank := int64(math.Exp(r.Float() * scale))
		word = strconv.AppendInt(word[:0], rank, 36)
		for j := range word { // letters only
			if word[j] <= '9' {
				word[j] += 'A' - '0'
			}
		}
		w.Write(word)
		end := byte(' ')
		if i%20 == 19 {
			end = '\n'
		}
		w.WriteByte(end)
	}
	if err := w.Flush(); err != nil {
		log.Fatal(err)
	}
}

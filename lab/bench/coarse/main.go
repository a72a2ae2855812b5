// Package coarse gives the vectors of pieces in the encoder of an overlay a few bits an element,
// which makes the file smaller:
//
//	go run -C lab ./bench coarse [-exact N] [-fine N] OVERLAY.tbm
//
// The factors of its scores have then to be fitted again (make mix).
package coarse

import (
	"errors"
	"flag"
	"os"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/encode"
	"github.com/treebeam/treebeam/parser/pack"
)

// Main rewrites one overlay.
func Main() error {
	exact := flag.Int("exact", 0, "first pieces, which keep 8 bits")
	fine := flag.Int("fine", 1<<30, "next pieces, with 4 bits; the others have 2")
	flag.Parse()
	if flag.NArg() != 1 {
		return errors.New("usage: coarse [-exact N] [-fine N] OVERLAY.tbm")
	}
	path := flag.Arg(0)
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	f, err := model.Decode(data)
	if err != nil {
		return err
	}
	m, err := encode.Open(pack.NewView(f.Sections), model.EncodeName)
	if err != nil {
		return err
	}
	var made pack.Builder
	m.Coarse(*exact, *fine).Pack(made.Sub(model.EncodeName))
	rest := slices.DeleteFunc(f.Sections, func(s pack.Section) bool { return strings.HasPrefix(s.Name, model.EncodeName+".") })
	if data, err = model.Encode(f.Info, slices.Concat(made.Sections, rest)); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o666)
}

package model

import (
	_ "embed"
	"fmt"
	"unsafe"
)

// Embedded is the URI of the model inside the program; "" means the same.
const Embedded = "embedded"

// english is the embedded English model: english.tbm, written by `make
// model`. The file is empty in a checkout where no model was trained yet. It
// is a string, so that the linker keeps it read-only.
//
//go:embed english.tbm
var english string

// calibrator is that of the embedded model: english.cal, written by `make
// calibrate`. It is bound to english.tbm. An empty file is none.
//
//go:embed english.cal
var calibrator string

// embeddedBytes returns the embedded model's bytes at a multiple of 64. The
// linker aligns large data to 32 at least, which serves every element type;
// should it ever align less than pack needs, the bytes are copied once.
func embeddedBytes() ([]byte, error) {
	if english == "" {
		return nil, fmt.Errorf("this program was built without the English model: name a model with --model FILE, or run make model and build again")
	}
	data := unsafe.Slice(unsafe.StringData(english), len(english))
	if uintptr(unsafe.Pointer(&data[0]))%elementAlignment == 0 {
		return data, nil
	}
	return alignedCopy(data), nil
}

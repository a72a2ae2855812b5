// Package sourcetest makes compressed files of members for tests.
package sourcetest

import (
	"bytes"
	"encoding/binary"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// BGZF compresses text in blocks of n bytes, and ends with an empty one, as bgzip does.
func BGZF(text string, n int) string {
	var all bytes.Buffer
	for more := true; more; {
		more = text != ""
		part := text[:min(n, len(text))]
		text = text[len(part):]
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		w.Extra = []byte("BC\x02\x00\x00\x00")
		io.WriteString(w, part)
		w.Close()
		binary.LittleEndian.PutUint16(b.Bytes()[16:], uint16(b.Len()-1))
		all.Write(b.Bytes())
	}
	return all.String()
}

// Frames compresses text in frames of zstd of n bytes, with one to skip after each.
func Frames(text string, n int) string {
	var all []byte
	w, _ := zstd.NewWriter(nil)
	for text != "" {
		part := text[:min(n, len(text))]
		text = text[len(part):]
		all = w.EncodeAll([]byte(part), all)
		all = append(all, "\x5a\x2a\x4d\x18\x03\x00\x00\x00abc"...)
	}
	return string(all)
}

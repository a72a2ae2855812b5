package transforms

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"
	"sync"
	"unsafe"
)

// encode writes a value of structs, slices, pointers, strings and numbers without the
// names of types and fields. Only the same program can read it, on a processor with the
// same order of bytes. Equal values have equal bytes. Unexported fields are left out. It is several times as fast as gob, which
// matters even if all stages are fused, because Beam encodes about every third element to
// learn its size.
func encode[T any](v T) ([]byte, error) {
	scratch := encoded.Get().(*[]byte)
	defer encoded.Put(scratch)
	*scratch = appendValue((*scratch)[:0], reflect.ValueOf(&v).Elem())
	return bytes.Clone(*scratch), nil
}

var encoded = sync.Pool{New: func() any { return new([]byte) }}

// decode reads what encode has written. The strings share one copy of b.
func decode[T any](b []byte) (v T, err error) {
	defer func() {
		if recover() != nil {
			err = fmt.Errorf("%d bytes are no %T", len(b), v)
		}
	}()
	d := decoder{b, string(b)}
	d.value(reflect.ValueOf(&v).Elem())
	if len(d.rest) > 0 {
		return v, errors.New("bytes are left over")
	}
	return v, nil
}

// isFixed reports whether slices of the kind are written as they are in memory.
func isFixed(k reflect.Kind) bool {
	return k != reflect.Int && k != reflect.Uint && (k >= reflect.Int8 && k <= reflect.Float64)
}

func appendValue(b []byte, v reflect.Value) []byte {
	switch k := v.Kind(); {
	case k == reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); f.CanInterface() {
				b = appendValue(b, f)
			}
		}
		return b
	case k == reflect.String:
		return append(binary.AppendUvarint(b, uint64(v.Len())), v.String()...)
	case k == reflect.Slice && v.IsNil(), k == reflect.Pointer && v.IsNil():
		return append(b, 0)
	case k == reflect.Pointer:
		return appendValue(append(b, 1), v.Elem())
	case k == reflect.Slice:
		b = binary.AppendUvarint(b, uint64(v.Len())+1)
		if e := v.Type().Elem(); isFixed(e.Kind()) {
			return append(b, unsafe.Slice((*byte)(v.UnsafePointer()), v.Len()*int(e.Size()))...)
		}
		for i := range v.Len() {
			b = appendValue(b, v.Index(i))
		}
		return b
	case k == reflect.Bool && v.Bool():
		return append(b, 1)
	case k == reflect.Bool:
		return append(b, 0)
	case v.CanInt():
		return binary.AppendVarint(b, v.Int())
	case v.CanUint():
		return binary.AppendUvarint(b, v.Uint())
	case v.CanFloat():
		return binary.LittleEndian.AppendUint64(b, math.Float64bits(v.Float()))
	}
	panic("no coder for " + v.Type().String())
}

// A decoder reads values from rest, the end of text.
type decoder struct {
	rest []byte
	text string
}

// next returns the next n bytes.
func (d *decoder) next(n int) []byte {
	b := d.rest[:n]
	d.rest = d.rest[n:]
	return b
}

func (d *decoder) uvarint() uint64 {
	x, n := binary.Uvarint(d.rest)
	if n <= 0 {
		panic("short")
	}
	d.next(n)
	return x
}

// length reads a length, or one more than it: every element takes a byte at least.
func (d *decoder) length() int {
	n := d.uvarint()
	if n > uint64(len(d.rest))+1 {
		panic("short")
	}
	return int(n)
}

func (d *decoder) value(v reflect.Value) {
	switch k := v.Kind(); {
	case k == reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); f.CanSet() {
				d.value(f)
			}
		}
	case k == reflect.String:
		n := d.length()
		at := len(d.text) - len(d.rest)
		v.SetString(d.text[at : at+n])
		d.next(n)
	case k == reflect.Pointer:
		if d.next(1)[0] == 1 {
			v.Set(reflect.New(v.Type().Elem()))
			d.value(v.Elem())
		}
	case k == reflect.Slice:
		n := d.length() - 1
		if n < 0 {
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		if size := int(v.Type().Elem().Size()); isFixed(v.Type().Elem().Kind()) {
			copy(unsafe.Slice((*byte)(v.UnsafePointer()), n*size), d.next(n*size))
			return
		}
		for i := range n {
			d.value(v.Index(i))
		}
	case k == reflect.Bool:
		v.SetBool(d.next(1)[0] == 1)
	case v.CanInt():
		x := d.uvarint()
		v.SetInt(int64(x>>1) ^ -int64(x&1)) // as binary.Varint
	case v.CanUint():
		v.SetUint(d.uvarint())
	case v.CanFloat():
		v.SetFloat(math.Float64frombits(binary.LittleEndian.Uint64(d.next(8))))
	}
}

package transforms

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"unsafe"
)

// encode writes a value of structs, slices, pointers, strings and numbers without the
// names of types and fields. Only the same program can read it, on a processor with the
// same order of bytes. Equal values have equal bytes. Unexported fields are left out. Its
// speed matters even if all stages are fused, because Beam encodes about every third
// element to learn its size.
func encode[T any](v *T, appendTo appender) ([]byte, error) {
	scratch := encoded.Get().(*[]byte)
	defer encoded.Put(scratch)
	*scratch = appendTo((*scratch)[:0], unsafe.Pointer(v))
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

// isFixed reports whether values of the kind are written as they are in memory.
func isFixed(k reflect.Kind) bool { return k >= reflect.Bool && k <= reflect.Float64 }

// An appender appends the value at a pointer to b.
type appender func(b []byte, at unsafe.Pointer) []byte

// newAppender returns the appender of a type, which must not contain itself.
func newAppender(t reflect.Type) appender {
	switch t.Kind() {
	case reflect.Struct:
		var fields []appender
		var offsets []uintptr
		for i := range t.NumField() {
			if f := t.Field(i); f.IsExported() {
				fields, offsets = append(fields, newAppender(f.Type)), append(offsets, f.Offset)
			}
		}
		return func(b []byte, at unsafe.Pointer) []byte {
			for i, field := range fields {
				b = field(b, unsafe.Add(at, offsets[i]))
			}
			return b
		}
	case reflect.String:
		return func(b []byte, at unsafe.Pointer) []byte {
			s := *(*string)(at)
			return append(binary.AppendUvarint(b, uint64(len(s))), s...)
		}
	case reflect.Pointer:
		element := newAppender(t.Elem())
		return func(b []byte, at unsafe.Pointer) []byte {
			if at = *(*unsafe.Pointer)(at); at == nil {
				return append(b, 0)
			}
			return element(append(b, 1), at)
		}
	case reflect.Slice:
		element, size, fixed := newAppender(t.Elem()), t.Elem().Size(), isFixed(t.Elem().Kind())
		return func(b []byte, at unsafe.Pointer) []byte {
			list := *(*[]struct{})(at) // of which only the pointer and the length count
			if list == nil {
				return append(b, 0)
			}
			b = binary.AppendUvarint(b, uint64(len(list))+1)
			first := unsafe.Pointer(unsafe.SliceData(list))
			if fixed {
				return append(b, unsafe.Slice((*byte)(first), len(list)*int(size))...)
			}
			for i := range list {
				b = element(b, unsafe.Add(first, uintptr(i)*size))
			}
			return b
		}
	}
	if !isFixed(t.Kind()) {
		panic("no coder for " + t.String())
	}
	size := t.Size()
	return func(b []byte, at unsafe.Pointer) []byte { return append(b, unsafe.Slice((*byte)(at), size)...) }
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
	default:
		size := int(v.Type().Size())
		copy(unsafe.Slice((*byte)(v.Addr().UnsafePointer()), size), d.next(size))
	}
}

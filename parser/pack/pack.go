// Package pack turns a model's tables into named, aligned, little-endian
// arrays and back. It knows no files: package model writes what a Builder
// holds and hands the bytes of a file to Open. Arrays of a View alias those
// bytes: nothing is copied, so a model embedded in the program or mapped
// from disk is used in place.
package pack

import (
	"fmt"
	"unsafe"
)

// Templates is the version of all that the arrays of a model mean to the
// program: hashes, templates of features, dense tables, classes. A model of
// another version would read the weights of other features, so it is refused.
// Raise it with any such change, and train the embedded model again.
const Templates = 3

// Kind is the element type of a section.
type Kind uint8

const (
	Bytes Kind = iota
	Int8
	Uint8
	Int16
	Uint16
	Int32
	Uint32
	Uint64
	Float32
	Strings // concatenated bytes; "<name>.off" holds the uint32 bounds
	Float64
)

// Size returns the bytes of one element.
func (k Kind) Size() int {
	switch k {
	case Int16, Uint16:
		return 2
	case Int32, Uint32, Float32:
		return 4
	case Uint64, Float64:
		return 8
	}
	return 1
}

// A Section is one named array. Data is little-endian.
type Section struct {
	Name string
	Kind Kind
	Data []byte
}

// A Number is an element type of an array section.
type Number interface {
	~int8 | ~uint8 | ~int16 | ~uint16 | ~int32 | ~uint32 | ~uint64 | ~float32 | ~float64
}

// A Builder collects the sections of a model in the order they are put. The
// data are not copied: do not change an array after it was put.
type Builder struct {
	Sections []Section
}

// Sub returns a Builder that puts into the same list under "name." .
func (b *Builder) Sub(name string) *Sub { return &Sub{b, name + "."} }

// A Sub is a Builder's view of one component's name space.
type Sub struct {
	b      *Builder
	prefix string
}

// Put adds an array. It panics on a name that exists: a programming error.
func Put[T Number](s *Sub, name string, a []T) {
	var zero T
	size := int(unsafe.Sizeof(zero))
	var data []byte
	if len(a) > 0 {
		data = unsafe.Slice((*byte)(unsafe.Pointer(&a[0])), len(a)*size)
	}
	s.add(name, kindOf[T](), data)
}

// PutStrings adds a list of strings.
func (s *Sub) PutStrings(name string, list []string) {
	off := make([]uint32, 1, len(list)+1)
	var data []byte
	for _, x := range list {
		data = append(data, x...)
		off = append(off, uint32(len(data)))
	}
	s.add(name, Strings, data)
	Put(s, name+".off", off)
}

func (s *Sub) add(name string, k Kind, data []byte) {
	full := s.prefix + name
	for _, x := range s.b.Sections {
		if x.Name == full {
			panic("pack: section put twice: " + full)
		}
	}
	s.b.Sections = append(s.b.Sections, Section{full, k, data})
}

// A View reads the sections of a model. It is safe for concurrent use.
type View struct {
	sections map[string]Section
}

// NewView indexes sections, whose data must be aligned to 8 bytes and must
// stay unchanged as long as anything got from the View is in use.
func NewView(list []Section) *View {
	v := &View{make(map[string]Section, len(list))}
	for _, s := range list {
		v.sections[s.Name] = s
	}
	return v
}

// Has reports whether any section of the component is there.
func (v *View) Has(component, name string) bool {
	_, ok := v.sections[component+"."+name]
	return ok
}

// Get returns a section as a slice that aliases the model's bytes. Its error
// names a section that is missing, of another type, or of an odd length.
func Get[T Number](v *View, component, name string) ([]T, error) {
	return get[T](v, component+"."+name)
}

// remedy ends the errors of sections that are missing or wrong.
const remedy = "the file is damaged, or of another version: get it again, or train the model again"

func get[T Number](v *View, full string) ([]T, error) {
	s, ok := v.sections[full]
	if !ok {
		return nil, fmt.Errorf("model has no section %q: %s", full, remedy)
	}
	var zero T
	size := int(unsafe.Sizeof(zero))
	if s.Kind != kindOf[T]() || len(s.Data)%size != 0 {
		return nil, fmt.Errorf("model section %q has another type or a broken length: %s", full, remedy)
	}
	if len(s.Data) == 0 {
		return nil, nil
	}
	if uintptr(unsafe.Pointer(&s.Data[0]))%uintptr(size) != 0 {
		return nil, fmt.Errorf("model section %q is not aligned: %s", full, remedy)
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&s.Data[0])), len(s.Data)/size), nil
}

// GetStrings returns a list put by PutStrings. The strings alias the model.
func (v *View) GetStrings(component, name string) ([]string, error) {
	return v.strings(component + "." + name)
}

func (v *View) strings(full string) ([]string, error) {
	s, ok := v.sections[full]
	if !ok || s.Kind != Strings {
		return nil, fmt.Errorf("model has no section %q of strings: %s", full, remedy)
	}
	off, err := get[uint32](v, full+".off")
	if err != nil {
		return nil, err
	}
	if len(off) == 0 || off[0] != 0 || int(off[len(off)-1]) != len(s.Data) {
		return nil, fmt.Errorf("model section %q: bounds do not fit its bytes: %s", full, remedy)
	}
	list := make([]string, len(off)-1)
	for i := range list {
		if off[i] > off[i+1] || int(off[i+1]) > len(s.Data) {
			return nil, fmt.Errorf("model section %q: bounds decrease: %s", full, remedy)
		}
		if n := off[i+1] - off[i]; n > 0 {
			list[i] = unsafe.String(&s.Data[off[i]], int(n))
		}
	}
	return list, nil
}

// kindOf finds the kind of T, which may be a named type, by its arithmetic.
func kindOf[T Number]() Kind {
	var zero T
	one := zero + 1
	signed := zero-one < zero
	switch unsafe.Sizeof(zero) {
	case 1:
		if signed {
			return Int8
		}
		return Uint8
	case 2:
		if signed {
			return Int16
		}
		return Uint16
	}
	float := one/(one+one) != zero
	switch {
	case unsafe.Sizeof(zero) == 8 && float:
		return Float64
	case unsafe.Sizeof(zero) == 8:
		return Uint64
	case float:
		return Float32
	case signed:
		return Int32
	}
	return Uint32
}

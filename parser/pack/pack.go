// Package pack turns the tables of a model into named, aligned, little-endian arrays
// (Write) and back (Read). Package io/sections writes them to files and reads them.
// Arrays of a View alias the bytes, so a model that is embedded in the program or
// mapped from disk is used in place.
package pack

import (
	"reflect"
	"unsafe"
)

// Templates is the version of what the arrays of a model mean: hashes, feature
// templates, dense tables, classes. The program refuses a model of another version,
// because it would read the weights of other features. Raise Templates with any change
// of meaning, and train the embedded model again.
//
// If a change only adds to what the arrays may contain, models from version Oldest on
// can still be read. Version 4 adds features to version 3 and folds typographic
// characters, which were rare in version 3; everything else means the same. Raise
// Oldest with any other change.
//
// Version 5 had classes of words, which have left the program: the next one is 6.
const (
	Templates = 4
	Oldest    = 3
)

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

var sizes = [...]int{Bytes: 1, Int8: 1, Uint8: 1, Int16: 2, Uint16: 2, Int32: 4, Uint32: 4, Uint64: 8, Float32: 4,
	Strings: 1, Float64: 8}

// Size returns the bytes of one element.
func (k Kind) Size() int { return sizes[k] }

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

// A Builder collects the sections of a model in the order of Put. It does not copy
// data: an array must not change after Put.
type Builder struct {
	Sections []Section
}

// Sub returns a Sub that adds to the same list, with names that begin with name and a
// period.
func (b *Builder) Sub(name string) *Sub { return &Sub{b, name + "."} }

// A Sub adds the sections of one component to a Builder.
type Sub struct {
	b      *Builder
	prefix string
}

// Put adds an array. It panics if the name exists already, which is a programming
// error.
func Put[T Number](s *Sub, name string, a []T) {
	k := kindOf[T]()
	s.add(name, k, unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(a))), len(a)*k.Size()))
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

// NewView indexes sections. Their data must be aligned to 8 bytes, and must not change
// while anything from the View is in use.
func NewView(list []Section) *View {
	v := &View{make(map[string]Section, len(list))}
	for _, s := range list {
		v.sections[s.Name] = s
	}
	return v
}

// Has reports whether the component has any section.
func (v *View) Has(component, name string) bool {
	_, ok := v.sections[component+"."+name]
	return ok
}

var kinds = map[reflect.Kind]Kind{
	reflect.Int8: Int8, reflect.Uint8: Uint8, reflect.Int16: Int16, reflect.Uint16: Uint16, reflect.Int32: Int32,
	reflect.Uint32: Uint32, reflect.Uint64: Uint64, reflect.Float32: Float32, reflect.Float64: Float64,
}

// kindOf returns the kind of T, which may be a named type.
func kindOf[T Number]() Kind { return kinds[reflect.TypeFor[T]().Kind()] }

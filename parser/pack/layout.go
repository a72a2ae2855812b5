package pack

import (
	"fmt"
	"unsafe"
)

// remedy ends the errors of sections that are missing or wrong.
const remedy = "the file is damaged, or of another version: get it again, or train the model again"

// A Layout is the list of sections of a component. The same function is used for
// writing and reading: it names each array once, in order, and checks what was read.
//
//	func (m *Model) layout(l *pack.Layout) {
//		pack.Array(l, "cells", &m.cells)
//		l.Strings("names", &m.names)
//		pack.Value(l, "scale", &m.scale)
//		m.table.Layout(l, "table") // nested: l.Nested("table", ...)
//		pack.Below(l, "cells", m.cells, len(m.names))
//		l.Check("scale", m.scale < 16, "is above 15")
//	}
//
// A Layout that reads stops at its first failure, which Read returns. Variables that
// were not read yet stay as they were. A Layout is for one goroutine.
type Layout struct {
	to     *Sub  // writing
	from   *View // reading
	prefix string
	err    *error // of the whole Layout
}

// Write puts the sections that layout names into s.
func Write(s *Sub, layout func(*Layout)) { layout(&Layout{to: s, err: new(error)}) }

// Read fills the variables that layout names from the component's sections. Arrays
// and strings alias the model. An error names the first section that is missing or
// wrong, and says what to do.
func Read(v *View, component string, layout func(*Layout)) error {
	l := &Layout{from: v, prefix: component + ".", err: new(error)}
	layout(l)
	return *l.err
}

// Reading reports whether sections are being read and none was wrong so far. Checks
// that use values as indices must depend on it.
func (l *Layout) Reading() bool { return l.from != nil && *l.err == nil }

// Check makes reading fail unless ok is true. what completes the error "section x ...".
// When writing, Check does nothing.
func (l *Layout) Check(name string, ok bool, what string) {
	if l.Reading() && !ok {
		*l.err = fmt.Errorf("model section %q %s: %s", l.prefix+name, what, remedy)
	}
}

// Optional reports whether the component has the optional sections that follow. When
// writing, this is present; when reading, whether the section of that name exists.
func (l *Layout) Optional(name string, present bool) bool {
	if l.to != nil {
		return present
	}
	_, ok := l.from.sections[l.prefix+name]
	return l.Reading() && ok
}

// Nested calls layout with a Layout whose sections are named "name.x".
func (l *Layout) Nested(name string, layout func(*Layout)) {
	inner := *l
	inner.prefix += name + "."
	layout(&inner)
}

// data returns the bytes of a section that is being read. They are whole elements of
// the kind.
func (l *Layout) data(name string, k Kind) []byte {
	if !l.Reading() {
		return nil
	}
	s, ok := l.from.sections[l.prefix+name]
	l.Check(name, ok, "is missing")
	l.Check(name, s.Kind == k && len(s.Data)%k.Size() == 0, "has another type or a broken length")
	return s.Data
}

// Array writes an array, or reads it in place.
func Array[T Number](l *Layout, name string, a *[]T) {
	if l.to != nil {
		Put(l.to, l.prefix+name, *a)
		return
	}
	k := kindOf[T]()
	data := l.data(name, k)
	start := unsafe.Pointer(unsafe.SliceData(data))
	l.Check(name, len(data) == 0 || uintptr(start)%uintptr(k.Size()) == 0, "is not aligned")
	if l.Reading() {
		*a = nil
		if len(data) > 0 {
			*a = unsafe.Slice((*T)(start), len(data)/k.Size())
		}
	}
}

// Value writes or reads a number.
func Value[T Number](l *Layout, name string, x *T) {
	list := []T{*x}
	Array(l, name, &list)
	l.Check(name, len(list) == 1, "is not one number")
	if l.Reading() {
		*x = list[0]
	}
}

// Bool writes or reads a truth value.
func (l *Layout) Bool(name string, x *bool) {
	number := uint8(0)
	if *x {
		number = 1
	}
	Value(l, name, &number)
	l.Check(name, number <= 1, "is neither 0 nor 1")
	if l.Reading() {
		*x = number == 1
	}
}

// Strings writes or reads a list of strings. Strings that are read alias the model.
func (l *Layout) Strings(name string, list *[]string) {
	bounds, data := []uint32{0}, l.data(name, Strings)
	if l.to != nil {
		for _, x := range *list {
			data = append(data, x...)
			bounds = append(bounds, uint32(len(data)))
		}
		l.to.add(l.prefix+name, Strings, data)
	}
	Array(l, name+".off", &bounds)
	Bounds(l, name, bounds, len(data))
	if l.Reading() {
		text := unsafe.String(unsafe.SliceData(data), len(data))
		*list = make([]string, len(bounds)-1)
		for i := range *list {
			(*list)[i] = text[bounds[i]:bounds[i+1]]
		}
	}
}

// Below checks that every number of a section is at least 0 and below n.
func Below[T Number](l *Layout, name string, list []T, n int) {
	if !l.Reading() {
		return
	}
	for _, x := range list {
		if x < 0 || float64(x) >= float64(n) {
			l.Check(name, false, "has an index out of its range")
			return
		}
	}
}

// Bounds checks that a section divides an array of n elements into parts: part i is
// start[i]:start[i+1], the first part begins at 0, and the last ends at n.
func Bounds[T Number](l *Layout, name string, start []T, n int) {
	if !l.Reading() {
		return
	}
	ok := len(start) > 0 && start[0] == 0 && float64(start[len(start)-1]) == float64(n)
	for i := 1; i < len(start); i++ {
		ok = ok && start[i-1] <= start[i]
	}
	l.Check(name, ok, "does not bound its array")
}

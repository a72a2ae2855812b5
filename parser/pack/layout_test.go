package pack

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

type tag uint8 // a named type

// A thing has one of all that a Layout takes.
type thing struct {
	tags    []tag
	ints    []int16
	longs   []uint64
	floats  []float32
	doubles []float64
	empty   []int8
	names   []string
	scale   int32
	ratio   float32
	yes, no bool
	inner   table
}

type table struct{ start, cells []uint32 }

func (t *table) Layout(l *Layout, name string) {
	l.Nested(name, func(l *Layout) {
		Array(l, "start", &t.start)
		Array(l, "cells", &t.cells)
		Bounds(l, "start", t.start, len(t.cells))
		Below(l, "cells", t.cells, 10)
	})
}

func (x *thing) layout(l *Layout) {
	Array(l, "tags", &x.tags)
	Array(l, "ints", &x.ints)
	Array(l, "longs", &x.longs)
	Array(l, "floats", &x.floats)
	Array(l, "doubles", &x.doubles)
	Array(l, "empty", &x.empty)
	l.Strings("names", &x.names)
	Value(l, "scale", &x.scale)
	Value(l, "ratio", &x.ratio)
	l.Bool("yes", &x.yes)
	l.Bool("no", &x.no)
	x.inner.Layout(l, "inner")
	Below(l, "tags", x.tags, 5)
	l.Check("scale", x.scale < 100, "is above 99")
	if l.Reading() {
		l.Check("names", x.names[0] == "a", "does not begin with a")
	}
}

func someThing() *thing {
	return &thing{tags: []tag{1, 4}, ints: []int16{-7}, longs: []uint64{1 << 60}, floats: []float32{0.5},
		doubles: []float64{0.1}, names: []string{"a", "", "ñ"},
		scale: -3, ratio: 1.5, yes: true, inner: table{[]uint32{0, 1, 3}, []uint32{9, 0, 2}}}
}

func (x *thing) sections() []Section {
	var b Builder
	Write(b.Sub("c"), x.layout)
	return b.Sections
}

func TestLayout(t *testing.T) {
	x := someThing()
	y := &thing{no: true}
	if err := Read(NewView(x.sections()), "c", y.layout); err != nil || !reflect.DeepEqual(x, y) {
		t.Errorf("%+v, %v, want %+v", y, err, x)
	}
	if &y.longs[0] != &x.longs[0] {
		t.Error("an array was copied")
	}
	if !slices.ContainsFunc(x.sections(), func(s Section) bool { return s.Name == "c.inner.cells" && s.Kind == Uint32 }) {
		t.Error("there is no section c.inner.cells")
	}
}

// Every section that is missing, of another kind or of another length is an
// error that names it, and so is every number that is checked.
func TestLayoutRefuses(t *testing.T) {
	sections := someThing().sections()
	for i, s := range sections {
		list := slices.Delete(slices.Clone(sections), i, i+1)
		err := Read(NewView(list), "c", new(thing).layout)
		wantError(t, "no "+s.Name, strings.TrimSuffix(s.Name, ".off"), err)
		list = slices.Clone(sections)
		list[i].Kind = (s.Kind + 1) % Strings
		wantError(t, "another kind of "+s.Name, strings.TrimSuffix(s.Name, ".off"),
			Read(NewView(list), "c", new(thing).layout))
	}
	for section, change := range map[string]func(x *thing){
		"c.tags":        func(x *thing) { x.tags[0] = 5 },
		"c.scale":       func(x *thing) { x.scale = 100 },
		"c.names":       func(x *thing) { x.names[0] = "b" },
		"c.inner.cells": func(x *thing) { x.inner.cells[0] = 10 },
		"c.inner.start": func(x *thing) { x.inner.start[1] = 4 },
	} {
		x := someThing()
		change(x)
		wantError(t, "a wrong "+section, section, Read(NewView(x.sections()), "c", new(thing).layout))
	}
	for i, s := range sections { // of another length
		if s.Name == "c.scale" || s.Name == "c.yes" {
			list := slices.Clone(sections)
			list[i].Data = append(slices.Clone(s.Data), s.Data...)
			wantError(t, "two of "+s.Name, s.Name, Read(NewView(list), "c", new(thing).layout))
		}
		if s.Name == "c.no" {
			list := slices.Clone(sections)
			list[i].Data = []byte{2}
			wantError(t, "a truth value of 2", s.Name, Read(NewView(list), "c", new(thing).layout))
		}
	}
}

func TestBounds(t *testing.T) {
	for _, c := range []struct {
		start []int32
		n     int
		ok    bool
	}{{nil, 0, false}, {[]int32{0}, 0, true}, {[]int32{0, 2, 2, 5}, 5, true}, {[]int32{0, 3, 2, 5}, 5, false},
		{[]int32{1, 5}, 5, false},
		{[]int32{0, 5}, 6, false}, {[]int32{0, -1, 5}, 5, false}} {
		err := Read(NewView(nil), "c", func(l *Layout) { Bounds(l, "s", c.start, c.n) })
		if (err == nil) != c.ok {
			t.Errorf("%v of %d: %v", c.start, c.n, err)
		}
	}
	err := Read(NewView(nil), "c", func(l *Layout) { Below(l, "s", []int8{0, -1}, 5) })
	wantError(t, "an index below 0", "c.s", err)
}

package pack

import (
	"math"
	"slices"
	"strings"
	"testing"
	"unsafe"
)

// all puts one section of every kind.
func all() *Builder {
	b := &Builder{}
	s := b.Sub("c")
	Put(s, "int8", []int8{-128, 0, 127})
	Put(s, "uint8", []uint8{0, 255})
	Put(s, "int16", []int16{-1 << 15, 1<<15 - 1})
	Put(s, "uint16", []uint16{1<<16 - 1})
	Put(s, "int32", []int32{-1 << 31, 1<<31 - 1})
	Put(s, "uint32", []uint32{1<<32 - 1})
	Put(s, "uint64", []uint64{1<<64 - 1, 1})
	Put(s, "float32", []float32{0.5, float32(math.Inf(-1))})
	Put(s, "empty", []int32{})
	Write(s, func(l *Layout) {
		l.Strings("strings", &[]string{"", "a", "ßü", ""})
		l.Strings("none", new([]string))
	})
	return b
}

// get reads one section of a component.
func get[T Number](v *View, component, name string) (a []T, err error) {
	err = Read(v, component, func(l *Layout) { Array(l, name, &a) })
	return a, err
}

func getStrings(v *View, component, name string) (list []string, err error) {
	err = Read(v, component, func(l *Layout) { l.Strings(name, &list) })
	return list, err
}

func check[T Number](t *testing.T, v *View, name string, want ...T) {
	t.Helper()
	got, err := get[T](v, "c", name)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%s: got %v, %v, want %v", name, got, err, want)
	}
}

func TestRoundTrip(t *testing.T) {
	v := NewView(all().Sections)
	check(t, v, "int8", int8(-128), 0, 127)
	check(t, v, "uint8", uint8(0), 255)
	check(t, v, "int16", int16(-1<<15), 1<<15-1)
	check(t, v, "uint16", uint16(1<<16-1))
	check(t, v, "int32", int32(-1<<31), 1<<31-1)
	check(t, v, "uint32", uint32(1<<32-1))
	check(t, v, "uint64", uint64(1<<64-1), 1)
	check(t, v, "float32", 0.5, float32(math.Inf(-1)))
	check[int32](t, v, "empty")
	for name, want := range map[string][]string{"strings": {"", "a", "ßü", ""}, "none": {}} {
		if got, err := getStrings(v, "c", name); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: got %q, %v, want %q", name, got, err, want)
		}
	}
	if !v.Has("c", "int8") || v.Has("c", "int9") || v.Has("d", "int8") {
		t.Error("Has is wrong")
	}
}

// What is read is the section's own memory: a model is used in place.
func TestArraysAlias(t *testing.T) {
	a := []uint32{1, 2, 3}
	var b Builder
	Put(b.Sub("c"), "a", a)
	got, err := get[uint32](NewView(b.Sections), "c", "a")
	if err != nil {
		t.Fatal(err)
	}
	if &got[0] != &a[0] {
		t.Error("the array was copied")
	}
}

// Data are little-endian, as the model file says.
func TestLittleEndian(t *testing.T) {
	var b Builder
	Put(b.Sub("c"), "a", []uint32{0x01020304})
	if got := b.Sections[0].Data; !slices.Equal(got, []byte{4, 3, 2, 1}) {
		t.Errorf("got % x", got)
	}
}

func TestKinds(t *testing.T) {
	sizes := map[Kind]int{Bytes: 1, Int8: 1, Uint8: 1, Int16: 2, Uint16: 2, Int32: 4, Uint32: 4, Uint64: 8, Float32: 4, Strings: 1}
	for k, want := range sizes {
		if k.Size() != want {
			t.Errorf("kind %d has size %d, want %d", k, k.Size(), want)
		}
	}
	for _, s := range all().Sections {
		if len(s.Data)%s.Kind.Size() != 0 {
			t.Errorf("%s: %d bytes of kind %d", s.Name, len(s.Data), s.Kind)
		}
	}
}

func wantError(t *testing.T, what, section string, err error) {
	t.Helper()
	if err == nil {
		t.Errorf("%s was accepted", what)
	} else if !strings.Contains(err.Error(), section) {
		t.Errorf("%s: %v does not name %q", what, err, section)
	}
}

func TestWrongSections(t *testing.T) {
	v := NewView(all().Sections)
	_, err := get[int8](v, "c", "nothing")
	wantError(t, "a missing section", "c.nothing", err)
	_, err = get[int8](v, "d", "int8")
	wantError(t, "another component's section", "d.int8", err)
	_, err = get[uint8](v, "c", "int8")
	wantError(t, "another type of the same size", "c.int8", err)
	_, err = get[uint8](v, "c", "strings")
	wantError(t, "strings as numbers", "c.strings", err)
	_, err = getStrings(v, "c", "int8")
	wantError(t, "numbers as strings", "c.int8", err)
	_, err = getStrings(v, "c", "nothing")
	wantError(t, "missing strings", "c.nothing", err)
}

func TestBrokenArrays(t *testing.T) {
	memory := make([]uint64, 4) // aligned to 8
	data := unsafe.Slice((*byte)(unsafe.Pointer(&memory[0])), 32)
	for _, c := range []struct {
		what string
		data []byte
	}{{"an odd length", data[:7]}, {"a misaligned array", data[1:9]}, {"an array at half an element", data[2:10]}} {
		_, err := get[uint32](NewView([]Section{{"c.a", Uint32, c.data}}), "c", "a")
		wantError(t, c.what, "c.a", err)
	}
	if _, err := get[uint32](NewView([]Section{{"c.a", Uint32, data[4:12]}}), "c", "a"); err != nil {
		t.Errorf("an array aligned to its element: %v", err)
	}
	if _, err := get[uint64](NewView([]Section{{"c.a", Uint64, data[4:12]}}), "c", "a"); err == nil {
		t.Error("an array of uint64 aligned to 4 was accepted")
	}
}

func stringSections(data string, bounds ...uint32) []Section {
	var b Builder
	Put(b.Sub("c"), "s.off", bounds)
	return append(b.Sections, Section{"c.s", Strings, []byte(data)})
}

func TestBrokenStrings(t *testing.T) {
	for what, sections := range map[string][]Section{
		"no bounds":                     stringSections("abc")[1:],
		"empty bounds":                  stringSections("abc"),
		"bounds that begin late":        stringSections("abc", 1, 3),
		"bounds that end early":         stringSections("abc", 0, 2),
		"bounds that end late":          stringSections("abc", 0, 4),
		"bounds that decrease":          stringSections("abc", 0, 2, 1, 3),
		"a bound beyond the data":       stringSections("abc", 0, 1<<31, 3),
		"bounds beyond, then back":      stringSections("abc", 0, 9, 9, 3),
		"bytes that no string can have": stringSections("abc", 0),
	} {
		_, err := getStrings(NewView(sections), "c", "s")
		wantError(t, what, "c.s", err)
	}
}

func TestNameTwicePanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a name put twice must be a panic")
		}
	}()
	var b Builder
	Put[int8](b.Sub("c"), "a", nil)
	Put[int8](b.Sub("c"), "a", nil)
}

// No content of the bounds may make Strings read outside the section.
func FuzzStrings(f *testing.F) {
	f.Add("abc", []byte{0, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0})
	f.Add("abc", []byte{0, 0, 0, 0, 255, 255, 255, 255, 3, 0, 0, 0})
	f.Add("", []byte{0, 0, 0, 0})
	f.Add("x", []byte{})
	f.Fuzz(func(t *testing.T, data string, bounds []byte) {
		numbers := make([]uint32, len(bounds)/4)
		for i := range numbers {
			numbers[i] = uint32(bounds[4*i]) | uint32(bounds[4*i+1])<<8 | uint32(bounds[4*i+2])<<16 | uint32(bounds[4*i+3])<<24
		}
		list, err := getStrings(NewView(stringSections(data, numbers...)), "c", "s")
		if err != nil {
			return
		}
		if got := strings.Join(list, ""); got != data {
			t.Fatalf("the strings are %q, the bytes %q", got, data)
		}
	})
}

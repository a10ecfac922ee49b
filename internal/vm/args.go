package vm

// This file packs Go values into the parameter block of a launch.

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
)

// packArgs writes args into one zeroed kernel parameter block for d: each value little-endian
// at its parameter's offset, as the .param space of an entry is laid out (PTX ISA
// 7.1). Errors are *ArgError; ErrClosed for a freed buffer.
func (d *Device) packArgs(block []byte, kernel string, params []ParamInfo, args []any) error {
	refuse := func(index int, format string, words ...any) error {
		return &ArgError{Kernel: kernel, Index: index, Msg: fmt.Sprintf(format, words...), Signature: signature(kernel, params)}
	}
	if len(args) != len(params) {
		return refuse(-1, "%s takes %d arguments, not %d", kernel, len(params), len(args))
	}
	for i, arg := range args {
		if d.packNumber(block[params[i].Offset:], params[i].Size, arg) {
			continue
		}
		data, err := d.encodeArg(arg)
		switch {
		case errors.Is(err, ErrClosed):
			return err
		case err != nil:
			return refuse(i, "argument %d (%s) %v", i, typeName(arg), err)
		case len(data) != params[i].Size:
			return refuse(i, "argument %d (%s) has %d bytes, the parameter %s needs %d", i, typeName(arg), len(data), params[i].Decl(), params[i].Size)
		}
		copy(block[params[i].Offset:], data)
	}
	return nil
}

// typeName is what callers call the type of an argument: types of this package they know from package ptxvm.
func typeName(arg any) string {
	text := fmt.Sprintf("%T", arg)
	t := reflect.TypeOf(arg)
	for t != nil && t.Name() == "" && (t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Array) {
		t = t.Elem()
	}
	if t == nil || t.PkgPath() != reflect.TypeFor[Buffer]().PkgPath() {
		return text
	}
	return strings.TrimSuffix(text, t.String()) + "ptxvm." + t.Name()
}

// packNumber writes an argument of the kinds that are passed most, without looking further; false if it is of
// another kind, or not right.
func (d *Device) packNumber(to []byte, size int, arg any) bool {
	bits, n := uint64(0), 4
	switch v := arg.(type) {
	case int32:
		bits = uint64(v)
	case uint32:
		bits = uint64(v)
	case float32:
		bits = uint64(math.Float32bits(v))
	case int64:
		bits, n = uint64(v), 8
	case uint64:
		bits, n = v, 8
	case Buffer:
		if v.of == nil || !d.reaches(v.of.d) || v.of.over() {
			return false
		}
		bits, n = v.addr, 8
	default:
		return false
	}
	if n != size {
		return false
	}
	if n == 4 {
		binary.LittleEndian.PutUint32(to, uint32(bits))
	} else {
		binary.LittleEndian.PutUint64(to, bits)
	}
	return true
}

// encodeArg gives the bytes that an argument puts into the parameter block.
func (d *Device) encodeArg(arg any) ([]byte, error) {
	switch v := arg.(type) {
	case []byte:
		return v, nil
	case nil:
		return nil, errors.New("is nil; pass uint64(0) for a null address")
	}
	return d.encodeValue(nil, reflect.ValueOf(arg))
}

// encodeValue appends a fixed-size number, array or struct of these in C layout:
// each field at a multiple of its alignment, the whole padded to the largest.
func (d *Device) encodeValue(out []byte, v reflect.Value) ([]byte, error) {
	if v.Type() == reflect.TypeFor[Buffer]() {
		return d.encodeHandle(out, v, "addr", d.reaches)
	}
	if isHandle(v.Type()) {
		return d.encodeHandle(out, v, "handle", d.is)
	}
	switch v.Kind() {
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return appendBits(out, uint64(v.Int()), v.Type().Size()), nil
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return appendBits(out, v.Uint(), v.Type().Size()), nil
	case reflect.Bool:
		if v.Bool() {
			return append(out, 1), nil
		}
		return append(out, 0), nil
	case reflect.Float32:
		return appendBits(out, uint64(math.Float32bits(float32(v.Float()))), 4), nil
	case reflect.Float64:
		return appendBits(out, math.Float64bits(v.Float()), 8), nil
	case reflect.Array:
		return d.encodeArray(out, v)
	case reflect.Struct:
		return d.encodeStruct(out, v)
	}
	return nil, errors.New("cannot be passed to a kernel: want a fixed-size number, a Buffer, a Surface, a Texture, a Sampler, []byte, or a struct of these")
}

// isHandle tells the types whose values are numbers of images.
func isHandle(t reflect.Type) bool {
	return t == reflect.TypeFor[Surface]() || t == reflect.TypeFor[Texture]() || t == reflect.TypeFor[Sampler]()
}

// encodeHandle appends the address of a Buffer or the handle of a Surface that still is, of a device whose
// memory this one may use.
func (d *Device) encodeHandle(out []byte, v reflect.Value, field string, usable func(*Device) bool) ([]byte, error) {
	of := lifetimeOf(v)
	switch {
	case of == nil:
		return nil, fmt.Errorf("is the zero %s; pass uint64(0) for null", v.Type().Name())
	case !usable(of.d):
		return nil, errors.New("is memory of another device")
	case of.over():
		return nil, ErrClosed
	}
	return appendBits(out, v.FieldByName(field).Uint(), 8), nil
}

func (d *Device) encodeArray(out []byte, v reflect.Value) ([]byte, error) {
	var err error
	for i := 0; i < v.Len() && err == nil; i++ {
		out, err = d.encodeValue(out, v.Index(i))
	}
	return out, err
}

func (d *Device) encodeStruct(out []byte, v reflect.Value) ([]byte, error) {
	start := len(out)
	for i := range v.NumField() {
		out = padTo(out, start, cAlign(v.Field(i).Type()))
		var err error
		if out, err = d.encodeValue(out, v.Field(i)); err != nil {
			return nil, fmt.Errorf("field %s %w", v.Type().Field(i).Name, err)
		}
	}
	return padTo(out, start, cAlign(v.Type())), nil
}

// cAlign is the alignment that C gives a type of this shape; a Buffer is an address, handles are as large.
func cAlign(t reflect.Type) int {
	switch {
	case t == reflect.TypeFor[Buffer](), isHandle(t):
		return 8
	case t.Kind() == reflect.Array:
		return cAlign(t.Elem())
	case t.Kind() == reflect.Struct:
		align := 1
		for i := range t.NumField() {
			align = max(align, cAlign(t.Field(i).Type))
		}
		return align
	}
	return int(t.Size())
}

func padTo(out []byte, start, align int) []byte {
	for (len(out)-start)%align != 0 {
		out = append(out, 0)
	}
	return out
}

func appendBits(out []byte, bits uint64, size uintptr) []byte {
	return append(out, binary.LittleEndian.AppendUint64(nil, bits)[:size]...)
}

package ptxvm

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
)

// packArgs writes args into one kernel parameter block: each value little-endian
// at its parameter's offset, as the .param space of an entry is laid out (PTX ISA
// 7.1). The result is size bytes long. Errors are *ArgError.
func packArgs(kernel string, params []ParamInfo, size int, args []any) ([]byte, error) {
	if len(args) != len(params) {
		return nil, &ArgError{Kernel: kernel, Index: -1, Msg: fmt.Sprintf(
			"%s takes %d arguments, not %d", kernel, len(params), len(args)), Signature: signature(kernel, params)}
	}
	block := make([]byte, size)
	for i, arg := range args {
		data, err := encodeArg(arg)
		if err == nil && len(data) != params[i].Size {
			err = fmt.Errorf("has %d bytes, the parameter %s needs %d", len(data), params[i].Decl(), params[i].Size)
		}
		if err != nil {
			return nil, &ArgError{Kernel: kernel, Index: i, Msg: fmt.Sprintf("argument %d (%T) %v", i, arg, err),
				Signature: signature(kernel, params)}
		}
		copy(block[params[i].Offset:], data)
	}
	return block, nil
}

// encodeArg gives the bytes that an argument puts into the parameter block.
func encodeArg(arg any) ([]byte, error) {
	switch v := arg.(type) {
	case []byte:
		return v, nil
	case Buffer:
		return binary.LittleEndian.AppendUint64(nil, v.Addr()), nil
	case nil:
		return nil, fmt.Errorf("is nil; pass uint64(0) for a null address")
	}
	return encodeValue(nil, reflect.ValueOf(arg))
}

// encodeValue appends a fixed-size number, array or struct of these in C layout:
// each field at a multiple of its alignment, the whole padded to the largest.
func encodeValue(out []byte, v reflect.Value) ([]byte, error) {
	if b, ok := bufferValue(v); ok {
		return binary.LittleEndian.AppendUint64(out, b.Addr()), nil
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
		return encodeArray(out, v)
	case reflect.Struct:
		return encodeStruct(out, v)
	}
	return nil, fmt.Errorf("cannot be passed to a kernel: want a fixed-size number, a Buffer, []byte, or a struct of these")
}

func encodeArray(out []byte, v reflect.Value) ([]byte, error) {
	var err error
	for i := 0; i < v.Len() && err == nil; i++ {
		out, err = encodeValue(out, v.Index(i))
	}
	return out, err
}

func encodeStruct(out []byte, v reflect.Value) ([]byte, error) {
	start := len(out)
	for i := range v.NumField() {
		out = padTo(out, start, cAlign(v.Field(i).Type()))
		var err error
		if out, err = encodeValue(out, v.Field(i)); err != nil {
			return nil, fmt.Errorf("field %s %w", v.Type().Field(i).Name, err)
		}
	}
	return padTo(out, start, cAlign(v.Type())), nil
}

// bufferValue sees a Buffer inside a struct, where reflection may not call Interface
// on unexported fields; those are read by copy.
func bufferValue(v reflect.Value) (Buffer, bool) {
	if v.Type() != reflect.TypeFor[Buffer]() {
		return Buffer{}, false
	}
	if v.CanInterface() {
		return v.Interface().(Buffer), true
	}
	return Buffer{addr: v.FieldByName("addr").Uint()}, true
}

// cAlign is the alignment that C gives a type of this shape; a Buffer is an address.
func cAlign(t reflect.Type) int {
	switch {
	case t == reflect.TypeFor[Buffer]():
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

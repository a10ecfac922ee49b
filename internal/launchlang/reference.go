package launchlang

// This file reads addresses inside named buffers: ptr:NAME[±BYTES], alone, in structs and in data.

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/value"
)

// reference is NAME[±BYTES], or NAME[A:B].
type reference struct {
	name  string // with @DEV, if it is another device's
	add   int64
	end   int64 // of a slice, which begins at add
	slice bool
	kind  int // toAddress, …
	size  int // bytes, 0 for those of an address
}

// place is where in some bytes an address goes.
type place struct {
	at int
	to reference
}

// addressSize is the bytes of an address.
const addressSize = 8

// parseReference reads NAME[±BYTES]. A name may hold signs: only a number ends it.
func parseReference(text string) (reference, error) {
	if body, ok := strings.CutSuffix(text, "]"); ok {
		return parseSlice(body)
	}
	if i := strings.LastIndexAny(text, "+-"); i > 0 {
		if n, err := strconv.ParseInt(text[i:], 0, 64); err == nil {
			return reference{name: text[:i], add: n}, nil
		}
	}
	if text == "" {
		return reference{}, fmt.Errorf("want ptr:NAME[±BYTES], the name of a --buf; ptr:0 is the null address")
	}
	return reference{name: text}, nil
}

// parseSlice reads NAME[A:B without the bracket that follows: the bytes from A up to B.
func parseSlice(text string) (r reference, err error) {
	name, bounds, _ := strings.Cut(text, "[")
	from, to, ok := strings.Cut(bounds, ":")
	r = reference{name: name, slice: true}
	a, failed := ParseByteSize(from)
	b, failedToo := ParseByteSize(to)
	if r.add, r.end = a, b; !ok || name == "" || failed != nil || failedToo != nil || a > b {
		return r, fmt.Errorf("%q: want ptr:NAME[A:B], the bytes of a --buf from A up to B", "ptr:"+text+"]")
	}
	return r, nil
}

// appendAddress is appendReference of an address among others, of which no slice is known.
func appendAddress(out []byte, places []place, text string) ([]byte, []place, error) {
	out, places, err := appendReference(out, places, text)
	if n := len(places); err == nil && n != 0 && places[n-1].to.slice && text != "0" {
		return nil, nil, fmt.Errorf("ptr:%s: a slice is a parameter of its own: --arg ptr:NAME[A:B]", text)
	}
	return out, places, err
}

// appendReference appends room for an address; 0 is null.
func appendReference(out []byte, places []place, text string) ([]byte, []place, error) {
	if text != "0" {
		to, err := parseReference(text)
		if err != nil {
			return nil, nil, err
		}
		places = append(places, place{len(out), to})
	}
	return append(out, make([]byte, addressSize)...), places, nil
}

// parseAddresses reads {a,b,c+256}, an array of addresses.
func parseAddresses(text string) (Contents, error) {
	inner, ok := braced(text)
	if !ok {
		return Contents{}, fmt.Errorf("want ptr:{NAME[±BYTES],…}, have ptr:%s", text)
	}
	typ, err := value.ParseType("b64")
	c := Contents{Array: Array{Type: typ}}
	for word := range strings.SplitSeq(inner, ",") {
		if err == nil {
			c.Bytes, c.places, err = appendAddress(c.Bytes, c.places, strings.TrimSpace(word))
		}
	}
	c.size, c.Shape = len(c.Bytes), []int{len(c.Bytes) / addressSize}
	return c, err
}

// braced cuts the braces of {…}.
func braced(text string) (string, bool) {
	inner, ok := strings.CutPrefix(text, "{")
	if !ok {
		return "", false
	}
	return strings.CutSuffix(inner, "}")
}

// parseStruct reads {FIELD,…} in C layout: each field at a multiple of its size, the whole padded
// to the largest. bytes: and pad: have no alignment.
func parseStruct(text string) (Arg, error) {
	inner, ok := braced(text)
	if !ok {
		return Arg{}, fmt.Errorf("want struct:{FIELD,…}, each TYPE:VALUE, ptr:NAME[±BYTES], bytes:HEX or pad:N")
	}
	var spec Arg
	align := 1
	for i, field := range strings.Split(inner, ",") {
		n, err := spec.addField(strings.TrimSpace(field))
		if err != nil {
			return Arg{}, fmt.Errorf("field %d, %q: %w", i, strings.TrimSpace(field), err)
		}
		align = max(align, n)
	}
	spec.pad(align)
	return spec, nil
}

// parseStructs reads {FIELD,…}[,{FIELD,…}…], an array of structs, which must be of one size.
func parseStructs(text string) (Contents, error) {
	var c Contents
	size := 0
	for i := 0; ; i++ {
		end := strings.IndexByte(text, '}')
		if end < 0 {
			return Contents{}, fmt.Errorf("want struct:{FIELD,…}[,{FIELD,…}…]")
		}
		one, err := parseStruct(text[:end+1])
		switch {
		case err != nil:
			return Contents{}, fmt.Errorf("struct %d: %w", i, err)
		case i > 0 && len(one.value) != size:
			return Contents{}, fmt.Errorf("struct %d has %d bytes, those before it %d", i, len(one.value), size)
		}
		size = len(one.value)
		for _, p := range one.places {
			c.places = append(c.places, place{len(c.Bytes) + p.at, p.to})
		}
		c.Bytes = append(c.Bytes, one.value...)
		more, ok := strings.CutPrefix(strings.TrimSpace(text[end+1:]), ",")
		if !ok {
			c.size = len(c.Bytes)
			if rest := strings.TrimSpace(text[end+1:]); rest != "" {
				return Contents{}, fmt.Errorf("%q stands behind the last struct", rest)
			}
			return c, nil
		}
		text = strings.TrimSpace(more)
	}
}

// addField appends a field and returns its alignment.
func (a *Arg) addField(text string) (align int, err error) {
	key, rest, ok := strings.Cut(text, ":")
	if !ok {
		return 0, fmt.Errorf("want TYPE:VALUE, ptr:NAME[±BYTES], bytes:HEX or pad:N%s", argHint(text))
	}
	switch key {
	case "ptr":
		a.pad(addressSize)
		a.value, a.places, err = appendAddress(a.value, a.places, rest)
		return addressSize, err
	case "bytes":
		value, err := hex.DecodeString(strings.TrimPrefix(rest, "0x"))
		a.value = append(a.value, value...)
		return 1, err
	case "pad":
		n, err := ParseByteSize(rest)
		if err == nil && n > maxPad {
			err = fmt.Errorf("pad:%s: parameters are not that large", rest)
		}
		if err == nil {
			a.value = append(a.value, make([]byte, n)...)
		}
		return 1, err
	}
	value, err := parseScalarArg(key, rest)
	if err != nil {
		return 0, err
	}
	a.pad(len(value.value))
	a.value = append(a.value, value.value...)
	return len(value.value), nil
}

// maxPad bounds the gaps of a struct; parameters have 32764 bytes at most (7.1).
const maxPad = 1 << 16

func (a *Arg) pad(align int) {
	for len(a.value)%align != 0 {
		a.value = append(a.value, 0)
	}
}

// resolve returns a copy of data with the addresses in their places.
func (s *Session) resolve(data []byte, places []place) ([]byte, error) {
	if len(places) == 0 {
		return data, nil
	}
	data = slices.Clone(data)
	for _, p := range places {
		if err := s.store(data[p.at:], p.to); err != nil {
			return nil, err
		}
	}
	return data, nil
}

// address is where a reference points. One byte behind the end is still an address of the buffer.
func (s *Session) address(to reference) (uint64, error) {
	on, name, err := s.owner(to.name)
	if err != nil {
		return 0, err
	}
	n, err := on.find(name)
	if err != nil {
		return 0, err
	}
	if size := int64(n.buffer.Len()); to.slice && to.end > size {
		return 0, fmt.Errorf("ptr:%s[%d:%d] is not inside %s, which has %d bytes", to.name, to.add, to.end, to.name, size)
	} else if to.add < 0 || to.add > size {
		return 0, fmt.Errorf("ptr:%s%+d is not inside %s, which has %d bytes", to.name, to.add, to.name, size)
	}
	return n.buffer.Addr() + uint64(to.add), nil
}

// sliced is the slice of a buffer that is a whole parameter; false if a spec is something else.
func (s *Session) sliced(spec *Arg) (ptxvm.Buffer, bool) {
	if len(spec.places) != 1 || !spec.places[0].to.slice {
		return ptxvm.Buffer{}, false
	}
	to := spec.places[0].to
	on, name, err := s.owner(to.name)
	if err != nil {
		return ptxvm.Buffer{}, false
	}
	n, err := on.find(name)
	if err != nil || to.end > int64(n.buffer.Len()) {
		return ptxvm.Buffer{}, false
	}
	return n.buffer.Slice(int(to.add), int(to.end)), true
}

// find returns the named buffer.
func (s *Session) find(name string) (*named, error) {
	var names []string
	for _, n := range s.named {
		if n.name == name && !n.global {
			return n, nil
		}
		if !n.global {
			names = append(names, n.name)
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("ptr:%s: there is no named buffer; --buf %s=DATA or --buf %s=SIZE makes one", name, name, name)
	}
	return nil, fmt.Errorf("ptr:%s: no buffer is called %q; there are %s", name, name, strings.Join(names, ", "))
}

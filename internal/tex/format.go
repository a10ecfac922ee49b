package tex

// This file holds the formats of samples (5.3.3).

import (
	"fmt"
	"strings"
)

// Channel is the type of one channel.
type Channel uint8

// The channel types.
const (
	U8 Channel = iota
	U16
	U32
	S8
	S16
	S32
	F16
	F32
	Unorm8
	Unorm16
	Snorm8
	Snorm16
)

// Reads is how sust.p takes a component that goes to a channel (9.7.11.2).
type Reads uint8

// The readings.
const (
	AsUnsigned Reads = iota
	AsSigned
	AsFloat
)

// channels are the facts of each type; cl is OpenCL's number (table 12).
var channels = [...]struct {
	name  string
	bytes int
	reads Reads
	cl    uint32
}{
	U8: {"u8", 1, AsUnsigned, 0x10da}, U16: {"u16", 2, AsUnsigned, 0x10db}, U32: {"u32", 4, AsUnsigned, 0x10dc},
	S8: {"s8", 1, AsSigned, 0x10d7}, S16: {"s16", 2, AsSigned, 0x10d8}, S32: {"s32", 4, AsSigned, 0x10d9},
	F16: {"f16", 2, AsFloat, 0x10dd}, F32: {"f32", 4, AsFloat, 0x10de},
	Unorm8: {"unorm8", 1, AsFloat, 0x10d2}, Unorm16: {"unorm16", 2, AsFloat, 0x10d3},
	Snorm8: {"snorm8", 1, AsFloat, 0x10d0}, Snorm16: {"snorm16", 2, AsFloat, 0x10d1},
}

// String is the name that the command line takes.
func (c Channel) String() string { return channels[c].name }

// Bytes is the size of one channel.
func (c Channel) Bytes() int { return channels[c].bytes }

// Reads says as what sust.p and sured.p take their data.
func (c Channel) Reads() Reads { return channels[c].reads }

// OpenCL is what suq.channel_data_type returns.
func (c Channel) OpenCL() uint32 { return channels[c].cl }

// Order says which channels a sample has, in the order of memory.
type Order uint8

// The orders. Those of one, two and four channels that CUDA has are R, RG and RGBA.
const (
	R Order = iota
	A
	RG
	RA
	RGB
	RGBA
	BGRA
	ARGB
)

// orders are the facts of each order: the component in each place, and OpenCL's number (table 13).
var orders = [...]struct {
	name  string
	parts []int // 0 red, 1 green, 2 blue, 3 alpha
	cl    uint32
}{
	R: {"r", []int{0}, 0x10b0}, A: {"a", []int{3}, 0x10b1}, RG: {"rg", []int{0, 1}, 0x10b2}, RA: {"ra", []int{0, 3}, 0x10b3},
	RGB: {"rgb", []int{0, 1, 2}, 0x10b4}, RGBA: {"rgba", []int{0, 1, 2, 3}, 0x10b5},
	BGRA: {"bgra", []int{2, 1, 0, 3}, 0x10b6}, ARGB: {"argb", []int{3, 0, 1, 2}, 0x10b7},
}

// String is the order's name in lower case.
func (o Order) String() string { return orders[o].name }

// Channels is how many channels a sample has.
func (o Order) Channels() int { return len(orders[o].parts) }

// OpenCL is what suq.channel_order returns.
func (o Order) OpenCL() uint32 { return orders[o].cl }

// Format is the format of a sample.
type Format struct {
	Channel Channel
	Order   Order
}

// Bytes is the size of a sample.
func (f Format) Bytes() int { return f.Channel.Bytes() * f.Order.Channels() }

// Valid reports whether both parts are numbers that exist.
func (f Format) Valid() bool { return int(f.Channel) < len(channels) && int(f.Order) < len(orders) }

// byCount are the orders that a number of channels stands for.
var byCount = map[string]Order{"1": R, "2": RG, "4": RGBA}

// String is u8x4 and the like; other orders are named: u8.bgra.
func (f Format) String() string {
	if byCount[fmt.Sprint(f.Order.Channels())] == f.Order {
		return fmt.Sprintf("%v%s%d", f.Channel, "x", f.Order.Channels())
	}
	return fmt.Sprintf("%v.%v", f.Channel, f.Order)
}

// ParseFormat reads what String writes.
func ParseFormat(text string) (Format, error) {
	name, count, ok := strings.Cut(text, "x")
	order, known := byCount[count]
	if !ok {
		var word string
		name, word, _ = strings.Cut(text, ".")
		order, known = findOrder(word)
	}
	for c := range channels {
		if known && channels[c].name == name {
			return Format{Channel(c), order}, nil
		}
	}
	return Format{}, fmt.Errorf("%q is no format: want one of u8 u16 u32 s8 s16 s32 f16 f32 unorm8 unorm16 snorm8 snorm16, then x1, x2 or x4", text)
}

func findOrder(name string) (Order, bool) {
	for o := range orders {
		if orders[o].name == name {
			return Order(o), true
		}
	}
	return 0, false
}

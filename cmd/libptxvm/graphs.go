//go:build cudart

package main

// This file exports graphs and captures.

/*
#include "../../internal/cudaabi/front/pvm.h"
*/
import "C"

import (
	"os"
	"slices"
	"unsafe"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/driver"
)

// list is n handles of the caller.
func list(p *uint64, n uint64) []uint64 {
	if p == nil {
		return nil
	}
	return unsafe.Slice(p, n)
}

// putList stores handles, and how many there are; without a place for them the number alone.
func putList(to, n *uint64, handles []uint64) driver.Code {
	switch {
	case n == nil:
		return driver.InvalidValue
	case to == nil:
		*n = uint64(len(handles))
	default:
		room := *n
		*n = uint64(copy(unsafe.Slice(to, room), handles))
		clear(unsafe.Slice(to, room)[*n:])
	}
	return driver.Success
}

// putEdges is putList, with what edges say: there has to be room for that where they say something.
func putEdges(to, says, n *uint64, handles, data []uint64) driver.Code {
	if to != nil && n != nil && says != nil {
		room := *n
		putList(says, &room, data)
	} else if to != nil && slices.ContainsFunc(data, func(e uint64) bool { return e != 0 }) {
		return driver.LossyQuery
	}
	return putList(to, n, handles)
}

//export pvm_capture_begin
func pvm_capture_begin(device int32, stream, graph uint64, after *uint64, n uint64, mode int32) int32 {
	return int32(the.CaptureBegin(int(device), stream, graph, list(after, n), driver.CaptureMode(mode)))
}

//export pvm_capture_mode
func pvm_capture_mode(mode *int32) int32 {
	if m := driver.CaptureMode(*mode); m < driver.CaptureGlobal || m > driver.CaptureRelaxed {
		return int32(driver.InvalidValue)
	}
	*mode = exchangeCaptureMode(*mode)
	return 0
}

//export pvm_capture_end
func pvm_capture_end(device int32, stream uint64, graph *uint64) int32 {
	if graph == nil && !the.CapturesInto(int(device), stream) {
		return int32(driver.InvalidValue)
	}
	g, code := the.CaptureEnd(int(device), stream)
	put(code, graph, g)
	return int32(code)
}

//export pvm_capture_info
func pvm_capture_info(device int32, stream uint64, status *int32, id, graph, nodes, says, n *uint64) int32 {
	s, code := the.CaptureInfo(int(device), stream)
	put(code, status, int32(s.Status))
	put(code, id, s.ID)
	put(code, graph, s.Graph)
	if code == driver.Success && n != nil {
		code = putEdges(nodes, says, n, s.After, s.Says)
	}
	return int32(code)
}

//export pvm_capture_depend
func pvm_capture_depend(device int32, stream uint64, nodes, says *uint64, n uint64, set int32) int32 {
	return int32(the.CaptureDependencies(int(device), stream, list(nodes, n), list(says, n), set != 0))
}

//export pvm_stream_values
func pvm_stream_values(device int32, stream uint64, values *C.struct_pvm_value, n uint64) int32 {
	var ops []driver.ValueOp
	if values != nil {
		for _, v := range unsafe.Slice(values, n) {
			ops = append(ops, driver.ValueOp{Kind: driver.ValueKind(v.kind), Addr: uint64(v.address), Value: uint64(v.value), Bits: int(v.bits)})
		}
	}
	return int32(the.StreamValues(int(device), stream, ops))
}

//export pvm_graph_create
func pvm_graph_create(graph *uint64) int32 {
	g, code := the.GraphCreate()
	put(code, graph, g)
	return int32(code)
}

//export pvm_graph_destroy
func pvm_graph_destroy(graph uint64) int32 { return int32(the.GraphDestroy(graph)) }

//export pvm_graph_clone
func pvm_graph_clone(graph uint64, clone *uint64) int32 {
	g, code := the.GraphClone(graph)
	put(code, clone, g)
	return int32(code)
}

//export pvm_graph_list
func pvm_graph_list(handle uint64, what int32, to, says, n *uint64) int32 {
	handles, data, code := the.GraphList(handle, driver.Listing(what))
	if code == driver.Success {
		code = putEdges(to, says, n, handles, data)
	}
	return int32(code)
}

//export pvm_graph_link
func pvm_graph_link(graph uint64, from, to, says *uint64, n uint64, remove int32) int32 {
	return int32(the.GraphLink(graph, list(from, n), list(to, n), list(says, n), remove != 0))
}

//export pvm_graph_dot
func pvm_graph_dot(graph uint64, path *C.char) int32 {
	f, err := os.Create(C.GoString(path))
	if err != nil {
		return int32(driver.FileNotFound)
	}
	defer f.Close()
	return int32(the.GraphDot(graph, f))
}

//export pvm_object_create
func pvm_object_create(ptr, destroy uint64, count, flags uint32, object *uint64) int32 {
	o, code := the.UserObjectCreate(ptr, destroy, count, flags)
	put(code, object, o)
	return int32(code)
}

//export pvm_object_retain
func pvm_object_retain(object uint64, count uint32) int32 {
	return int32(the.UserObjectRetain(object, count))
}

//export pvm_object_release
func pvm_object_release(object uint64, count uint32) int32 {
	return int32(the.UserObjectRelease(object, count))
}

//export pvm_graph_retain
func pvm_graph_retain(graph, object uint64, count, flags uint32) int32 {
	return int32(the.GraphRetain(graph, object, count, flags))
}

//export pvm_graph_release
func pvm_graph_release(graph, object uint64, count uint32) int32 {
	return int32(the.GraphRelease(graph, object, count))
}

//export pvm_condition_create
func pvm_condition_create(device int32, graph uint64, value, flags uint32, handle *uint64) int32 {
	h, code := the.ConditionCreate(int(device), graph, value, flags)
	put(code, handle, h)
	return int32(code)
}

//export pvm_node_add
func pvm_node_add(device int32, graph uint64, after *uint64, n uint64, how *C.struct_pvm_node, node *uint64) int32 {
	p := params(how)
	h, code := the.GraphAdd(int(device), graph, list(after, n), &p)
	put(code, node, h)
	how.address = C.uint64_t(p.Addr)
	return int32(code)
}

//export pvm_node_get
func pvm_node_get(node uint64, how *C.struct_pvm_node, graph *uint64, id *uint32) int32 {
	p, g, i, code := the.NodeGet(node)
	if how != nil {
		*how = described(p)
	}
	put(code, graph, g)
	put(code, id, uint32(i))
	return int32(code)
}

//export pvm_node_set
func pvm_node_set(node uint64, how *C.struct_pvm_node) int32 {
	p := params(how)
	return int32(the.NodeSet(node, &p))
}

//export pvm_node_attribute
func pvm_node_attribute(node uint64, id int32, value unsafe.Pointer, set int32) int32 {
	return int32(the.NodeAttribute(node, int(id), (*driver.AttributeValue)(value), set != 0))
}

//export pvm_node_attributes
func pvm_node_attributes(to, from uint64) int32 { return int32(the.NodeAttributes(to, from)) }

//export pvm_node_destroy
func pvm_node_destroy(node uint64) int32 { return int32(the.NodeDestroy(node)) }

//export pvm_node_find
func pvm_node_find(node, clone uint64, found *uint64) int32 {
	n, code := the.NodeInClone(node, clone)
	put(code, found, n)
	return int32(code)
}

//export pvm_graph_instantiate
func pvm_graph_instantiate(graph, flags uint64, exec, at *uint64) int32 {
	x, offender, code := the.GraphInstantiate(graph, flags)
	put(code, exec, x)
	put(driver.Success, at, offender)
	return int32(code)
}

//export pvm_graph_launch
func pvm_graph_launch(device int32, stream, exec uint64) int32 {
	return int32(the.GraphLaunch(int(device), stream, exec))
}

//export pvm_exec_destroy
func pvm_exec_destroy(exec uint64) int32 { return int32(the.ExecDestroy(exec)) }

//export pvm_exec_flags
func pvm_exec_flags(exec uint64, flags *uint64) int32 {
	f, code := the.ExecFlags(exec)
	put(code, flags, f)
	return int32(code)
}

//export pvm_exec_set
func pvm_exec_set(exec, node uint64, how *C.struct_pvm_node) int32 {
	p := params(how)
	return int32(the.ExecSet(exec, node, &p))
}

//export pvm_exec_update
func pvm_exec_update(exec, graph uint64, reason *int32, at, from *uint64) int32 {
	r, a, f, code := the.ExecUpdate(exec, graph)
	put(driver.Success, reason, int32(r))
	put(driver.Success, at, a)
	put(driver.Success, from, f)
	return int32(code)
}

//export pvm_exec_enable
func pvm_exec_enable(exec, node uint64, on int32) int32 {
	return int32(the.ExecEnable(exec, node, on != 0))
}

//export pvm_exec_enabled
func pvm_exec_enabled(exec, node uint64, on *uint32) int32 {
	v, code := the.ExecEnabled(exec, node)
	if v {
		put(code, on, 1)
	} else {
		put(code, on, 0)
	}
	return int32(code)
}

// params is a node's description for the driver.
func params(n *C.struct_pvm_node) driver.NodeParams {
	p := driver.NodeParams{
		Kind: driver.NodeKind(n.kind), Direction: driver.CopyKind(n.direction), Launch: launch(&n.launch),
		To: dst(&n.copy), From: src(&n.copy), Box: box(&n.copy), Value: uint32(n.value), Size: uint64(n.size),
		Argument: uint64(n.argument), Handle: uint64(n.handle), Addr: uint64(n.address),
	}
	if p.Kind == driver.HostNode {
		p.Call = uint64(n.function)
	} else {
		p.Function = uint64(n.function)
	}
	return p
}

// described is a node's description for the caller.
func described(p driver.NodeParams) (n C.struct_pvm_node) {
	n.kind, n.direction = C.int32_t(p.Kind), C.int32_t(p.Direction)
	n.function = C.uint64_t(p.Function | p.Call) // of one kind or the other
	n.argument, n.handle, n.address = C.uint64_t(p.Argument), C.uint64_t(p.Handle), C.uint64_t(p.Addr)
	n.size, n.value = C.uint64_t(p.Size), C.uint32_t(p.Value)
	n.copy = C.struct_pvm_copy{
		dst: C.uint64_t(p.To.Addr), dst_pitch: C.uint64_t(p.To.Pitch), dst_slice: C.uint64_t(p.To.Slice),
		src: C.uint64_t(p.From.Addr), src_pitch: C.uint64_t(p.From.Pitch), src_slice: C.uint64_t(p.From.Slice),
		width: C.uint64_t(p.Box.Width), height: C.uint64_t(p.Box.Height), depth: C.uint64_t(p.Box.Depth),
	}
	n.launch.grid, n.launch.block, n.launch.cluster = words(p.Launch.Grid), words(p.Launch.Block), words(p.Launch.Cluster)
	n.launch.shared, n.launch.arguments = C.uint32_t(p.Launch.Shared), C.uint64_t(p.Launch.Arguments)
	if p.Launch.Cooperative {
		n.launch.cooperative = 1
	}
	return n
}

func words(d ptxvm.Dim3) [3]C.uint32_t {
	return [3]C.uint32_t{C.uint32_t(d.X), C.uint32_t(d.Y), C.uint32_t(d.Z)}
}

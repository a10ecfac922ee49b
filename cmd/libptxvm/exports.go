//go:build cudart

// Command libptxvm is the engine of the CUDA libraries as a shared library (-buildmode=c-shared): exports of
// internal/driver and nothing else. The interface is internal/cudaabi/front/pvm.h. It is built by .ci/cudart.
package main

/*
#include <stdlib.h>
#include "../../internal/cudaabi/front/pvm.h"

extern char **environ;
static const char *variable(int i) { return environ ? environ[i] : NULL; }

static void call_text(void (*f)(const char *, size_t), const void *text, size_t n) { f(text, n); }
static int call_origin(int (*f)(uint64_t, struct pvm_origin *), uint64_t address, struct pvm_origin *out) { return f(address, out); }
*/
import "C"

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/driver"
)

func main() {}

// the is the driver of the process; pvm_start makes it.
var (
	the   *driver.Driver
	start sync.Once
)

//export pvm_start
func pvm_start(host *C.struct_pvm_host) int32 {
	if host.version != C.PVM_VERSION {
		return int32(driver.NotSupported)
	}
	code := driver.Success
	start.Do(func() { code = begin(*host) })
	if the == nil && code == driver.Success {
		code = driver.NotInitialized
	}
	return int32(code)
}

func begin(host C.struct_pvm_host) driver.Code {
	text := func(f *[0]byte, text []byte) {
		if f != nil && len(text) != 0 {
			C.call_text(f, unsafe.Pointer(&text[0]), C.size_t(len(text)))
		}
	}
	say := func(line string) { text(host.error, []byte(line)) }
	cfg, warnings, err := driver.Configure(environment())
	for _, w := range warnings {
		say("ptxvm: " + w + "\n")
	}
	if shown := slices.ContainsFunc(environment(), saysProgress); !shown && host.facts&C.PVM_TERMINAL != 0 && !cfg.Quiet {
		cfg.Progress = true
	}
	if err == nil {
		the, err = driver.New(cfg, driver.Host{
			Print: func(p []byte) { text(host.print, p) }, Error: say,
			Call:   callHost,
			Thread: thread,
			Origin: func(address uint64) (driver.Origin, bool) { return origin(host, address) },
		})
	}
	if err != nil {
		say(fmt.Sprintf("ptxvm: cannot start: %v\n", err))
		return driver.NotInitialized
	}
	watchExit()
	if host.asks >= 0 {
		go answer(os.NewFile(uintptr(host.asks), "questions"), say)
	}
	return driver.Success
}

// environment is the program's as it is now: Go's own is that of the start of the process.
func environment() (list []string) {
	for i := C.int(0); ; i++ {
		line := C.variable(i)
		if line == nil {
			return list
		}
		list = append(list, C.GoString(line))
	}
}

// saysProgress reports whether a line of the environment decides about progress.
func saysProgress(line string) bool {
	value, ok := strings.CutPrefix(line, "PTXVM_PROGRESS=")
	return ok && value != ""
}

// origin asks the front for the call that allocated memory.
func origin(host C.struct_pvm_host, address uint64) (driver.Origin, bool) {
	var out C.struct_pvm_origin
	if host.origin == nil || C.call_origin(host.origin, C.uint64_t(address), &out) == 0 {
		return driver.Origin{}, false
	}
	from := driver.Origin{By: C.GoString(&out.by[0])}
	for i := range out.frames {
		if file := C.GoString(&out.frames[i].file[0]); file != "" {
			from.Calls = append(from.Calls, driver.Call{File: file, Offset: uint64(out.frames[i].offset)})
		}
	}
	return from, true
}

// answer says what runs, each time that a byte asks.
func answer(questions io.Reader, say func(string)) {
	for asked := make([]byte, 1); ; {
		if _, err := questions.Read(asked); err != nil {
			return
		}
		say(the.Running())
	}
}

// put stores a result, unless the caller does not want it or the call has failed: what fails writes nothing.
func put[T any](code driver.Code, to *T, v T) driver.Code {
	if to != nil && code == driver.Success {
		*to = v
	}
	return code
}

// putText stores a text with its NUL, cut to the room there is.
func putText(to *C.char, room int, text string) {
	if to == nil || room <= 0 {
		return
	}
	b := unsafe.Slice((*byte)(unsafe.Pointer(to)), room)
	b[copy(b[:room-1], text)] = 0
}

func dim(d [3]C.uint32_t) ptxvm.Dim3 {
	return ptxvm.Dim3{X: uint32(d[0]), Y: uint32(d[1]), Z: uint32(d[2])}
}

//export pvm_thread
func pvm_thread(out **C.struct_pvm_thread) int32 {
	headroom(room)
	*out = both()
	return int32(driver.Success)
}

//export pvm_finish
func pvm_finish() int32 {
	if the == nil {
		return 0
	}
	return int32(the.Finish(inHost()))
}

// The end of the process, on the thread that ends it: it returns the status that the process is to have.
//
//export pvm_leave
func pvm_leave(status int32) int32 {
	return int32(the.Leave(int(status), inHost() || !runtimeUsed()))
}

//export pvm_device_count
func pvm_device_count(n *int32) int32 {
	if *n = int32(the.Devices()); *n == 0 {
		return int32(driver.NoDevice)
	}
	return 0
}

//export pvm_device_attribute
func pvm_device_attribute(device, attribute int32, value *int32) int32 {
	v0, code := the.Attribute(int(device), int(attribute))
	put(code, value, int32(v0))
	return int32(code)
}

//export pvm_device_name
func pvm_device_name(device int32, name *C.char, room int32) int32 {
	if device < 0 || int(device) >= the.Devices() {
		return int32(driver.InvalidDevice)
	}
	putText(name, int(room), the.Name(int(device)))
	return 0
}

//export pvm_memory_info
func pvm_memory_info(device int32, free, total *uint64) int32 {
	v0, v1, code := the.MemoryInfo(int(device))
	put(code, free, v0)
	put(code, total, v1)
	return int32(code)
}

//export pvm_graph_memory
func pvm_graph_memory(device, count int32, n *uint64) int32 {
	v, code := the.GraphMemory(int(device), driver.GraphMemoryCount(count))
	put(code, n, v)
	return int32(code)
}

//export pvm_graph_memory_reset
func pvm_graph_memory_reset(device, count int32) int32 {
	return int32(the.GraphMemoryReset(int(device), driver.GraphMemoryCount(count)))
}

//export pvm_synchronize
func pvm_synchronize(device int32) int32 {
	return int32(the.Synchronize(int(device)))
}

//export pvm_reset
func pvm_reset(device int32) int32 {
	return int32(the.Reset(int(device)))
}

//export pvm_sticky
func pvm_sticky() int32 {
	return int32(the.Sticky())
}

//export pvm_alloc
func pvm_alloc(device int32, size uint64, kind int32, address *uint64) int32 {
	v0, code := the.Alloc(int(device), size, driver.MemoryKind(kind))
	put(code, address, v0)
	return int32(code)
}

//export pvm_alloc_host
func pvm_alloc_host(device int32, size uint64, flags uint32, address *uint64) int32 {
	v0, code := the.AllocHost(int(device), size, flags)
	put(code, address, v0)
	return int32(code)
}

//export pvm_host_flags
func pvm_host_flags(address uint64, flags *uint32) int32 {
	v0, code := the.HostFlags(address)
	put(code, flags, v0)
	return int32(code)
}

//export pvm_free
func pvm_free(address uint64, pinned int32) int32 {
	return int32(the.Free(address, pinned != 0))
}

//export pvm_free_in
func pvm_free_in(device int32, stream, address uint64) int32 {
	return int32(the.FreeIn(int(device), stream, address))
}

//export pvm_alloc_in
func pvm_alloc_in(device int32, stream, size uint64, address *uint64) int32 {
	v0, code := the.AllocIn(int(device), stream, size)
	put(code, address, v0)
	return int32(code)
}

//export pvm_set_synchronous
func pvm_set_synchronous(address uint64, on int32) int32 {
	return int32(the.SetSynchronous(address, on != 0))
}

//export pvm_synchronous
func pvm_synchronous(address uint64, on *uint32) int32 {
	*on = 0
	if the.Synchronous(address) {
		*on = 1
	}
	return int32(driver.Success)
}

//export pvm_pool_take
func pvm_pool_take(pool, address uint64) int32 { return int32(the.PoolTake(pool, address)) }

//export pvm_pool_use
func pvm_pool_use(pool uint64, restart int32, used, high *uint64) int32 {
	*used, *high = the.PoolUse(pool, restart != 0)
	return int32(driver.Success)
}

//export pvm_pool_of
func pvm_pool_of(address uint64, pool *uint64) int32 {
	*pool = the.PoolOf(address)
	return int32(driver.Success)
}

//export pvm_register
func pvm_register(device int32, address, size uint64) int32 {
	return int32(the.Register(int(device), address, size))
}

//export pvm_unregister
func pvm_unregister(address uint64) int32 { return int32(the.Unregister(address)) }

//export pvm_device_pointer
func pvm_device_pointer(address uint64, device *uint64) int32 {
	at, code := the.DevicePointer(address)
	put(code, device, at)
	return int32(code)
}

//export pvm_host_view
func pvm_host_view(address, size uint64, at *uint64) int32 {
	view, code := the.HostView(address, size)
	put(code, at, view)
	return int32(code)
}

//export pvm_host_wrote
func pvm_host_wrote(address, size uint64) int32 { return int32(the.HostWrote(address, size)) }

//export pvm_holding
func pvm_holding(address uint64, start, size *uint64, device, kind *int32) int32 {
	b := the.Holding(address)
	if b == nil {
		return int32(driver.InvalidValue)
	}
	put(driver.Success, start, b.Start)
	put(driver.Success, size, b.Size)
	put(driver.Success, device, int32(b.Device))
	put(driver.Success, kind, int32(b.Kind))
	return 0
}

//export pvm_copy
func pvm_copy(device int32, stream uint64, c *C.struct_pvm_copy, kind, call int32) int32 {
	return int32(the.Copy(int(device), stream, dst(c), src(c), box(c), driver.CopyKind(kind), driver.CallKind(call)))
}

//export pvm_fill
func pvm_fill(device int32, stream uint64, c *C.struct_pvm_copy, value, size uint32, call int32) int32 {
	return int32(the.Fill(int(device), stream, dst(c), value, uint64(size), box(c), driver.CallKind(call)))
}

func dst(c *C.struct_pvm_copy) driver.Place {
	return driver.Place{Addr: uint64(c.dst), Pitch: uint64(c.dst_pitch), Slice: uint64(c.dst_slice)}
}

func src(c *C.struct_pvm_copy) driver.Place {
	return driver.Place{Addr: uint64(c.src), Pitch: uint64(c.src_pitch), Slice: uint64(c.src_slice)}
}

func box(c *C.struct_pvm_copy) driver.Box {
	return driver.Box{Width: uint64(c.width), Height: uint64(c.height), Depth: uint64(c.depth)}
}

//export pvm_load
func pvm_load(images *uint64, n int32, from *C.struct_pvm_holder, module *uint64, log *C.char, room uint64) int32 {
	var list [][]byte
	for _, addr := range unsafe.Slice(images, n) {
		image, err := driver.Image(addr)
		if err != nil {
			return int32(driver.InvalidImage)
		}
		list = append(list, image)
	}
	var holder driver.Holder
	if from != nil {
		holder = driver.Holder{File: C.GoString(from.file), Without: C.GoString(from.without)}
	}
	h, text, code := the.LoadFrom(list, holder)
	put(code, module, h)
	putText(log, int(min(room, 1<<30)), text)
	return int32(code)
}

//export pvm_unload
func pvm_unload(module uint64) int32 {
	return int32(the.Unload(module))
}

//export pvm_function
func pvm_function(device int32, module uint64, name *C.char, function *uint64) int32 {
	v0, code := the.Function(int(device), module, C.GoString(name))
	put(code, function, v0)
	return int32(code)
}

//export pvm_variable
func pvm_variable(device int32, module uint64, name *C.char, address, size *uint64) int32 {
	v0, v1, code := the.Variable(int(device), module, C.GoString(name))
	put(code, address, v0)
	put(code, size, v1)
	return int32(code)
}

//export pvm_managed_variable
func pvm_managed_variable(device int32, module uint64, name *C.char, address, size *uint64) int32 {
	v0, v1, code := the.Managed(int(device), module, C.GoString(name))
	put(code, address, v0)
	put(code, size, v1)
	return int32(code)
}

//export pvm_function_at
func pvm_function_at(device int32, module uint64, i uint32, function *uint64) int32 {
	v0, code := the.FunctionAt(int(device), module, int(i))
	put(code, function, v0)
	return int32(code)
}

//export pvm_function_module
func pvm_function_module(function uint64, module *uint64) int32 {
	v0, code := the.FunctionModule(function)
	put(code, module, v0)
	return int32(code)
}

//export pvm_function_get
func pvm_function_get(device int32, function uint64, attribute int32, value *int32) int32 {
	v0, code := the.FunctionGet(int(device), function, int(attribute))
	put(code, value, int32(v0))
	return int32(code)
}

//export pvm_function_set
func pvm_function_set(device int32, function uint64, attribute, value int32) int32 {
	return int32(the.FunctionSet(int(device), function, int(attribute), int(value)))
}

//export pvm_function_param
func pvm_function_param(function uint64, i int32, offset, size *uint64) int32 {
	v0, v1, code := the.FunctionParam(function, int(i))
	put(code, offset, uint64(v0))
	put(code, size, uint64(v1))
	return int32(code)
}

//export pvm_function_name
func pvm_function_name(function uint64, name *C.char, room int32) int32 {
	text, code := the.FunctionName(function)
	putText(name, int(room), text)
	return int32(code)
}

//export pvm_occupancy
func pvm_occupancy(device int32, function uint64, threads int32, dynamic uint64, blocks *int32) int32 {
	v0, code := the.Occupancy(int(device), function, int(threads), int(dynamic))
	put(code, blocks, int32(v0))
	return int32(code)
}

//export pvm_occupancy_shared
func pvm_occupancy_shared(device int32, function uint64, blocks, threads int32, dynamic *uint64) int32 {
	n, code := the.OccupancyShared(int(device), function, int(blocks), int(threads))
	put(code, dynamic, uint64(n))
	return int32(code)
}

//export pvm_occupancy_clusters
func pvm_occupancy_clusters(device int32, function uint64, l *C.struct_pvm_launch, most, clusters *int32) int32 {
	size, n, code := the.OccupancyClusters(int(device), function, launch(l))
	put(code, most, int32(size))
	put(code, clusters, int32(n))
	return int32(code)
}

//export pvm_launch_failed
func pvm_launch_failed(thread uint64, kernel *C.char, code int32) int32 {
	the.LaunchFailed(thread, C.GoString(kernel), driver.Code(code))
	return 0
}

//export pvm_asked
func pvm_asked(thread uint64) int32 {
	the.LastErrorAsked(thread)
	return 0
}

//export pvm_own
func pvm_own(module, context uint64) int32 { return int32(the.Own(module, context)) }

//export pvm_launch
func pvm_launch(device int32, stream, function uint64, l *C.struct_pvm_launch) int32 {
	return int32(the.Launch(int(device), stream, function, launch(l)))
}

func launch(l *C.struct_pvm_launch) driver.Launch {
	return driver.Launch{
		Grid: dim(l.grid), Block: dim(l.block), Cluster: dim(l.cluster),
		Shared: uint32(l.shared), Cooperative: l.cooperative != 0, Programmatic: l.programmatic != 0,
		Arguments: uint64(l.arguments), Buffer: uint64(l.buffer), BufferSize: uint64(l.buffer_size),
		SharedMode: uint32(l.shared_mode), Context: uint64(l.context),
		Events: [2]uint64{uint64(l.events[0]), uint64(l.events[1])},
	}
}

//export pvm_stream_create
func pvm_stream_create(device int32, flags uint32, priority int32, stream *uint64) int32 {
	v0, code := the.StreamCreate(int(device), flags, priority)
	put(code, stream, v0)
	return int32(code)
}

//export pvm_stream_destroy
func pvm_stream_destroy(stream uint64) int32 {
	return int32(the.StreamDestroy(stream))
}

//export pvm_stream_info
func pvm_stream_info(stream uint64, device *int32, flags *uint32, priority *int32) int32 {
	v0, v1, v2, code := the.StreamInfo(stream)
	put(code, device, int32(v0))
	put(code, flags, v1)
	put(code, priority, v2)
	return int32(code)
}

//export pvm_stream_priority
func pvm_stream_priority(stream uint64, priority int32) int32 {
	return int32(the.StreamPriority(stream, priority))
}

//export pvm_stream_query
func pvm_stream_query(device int32, stream uint64) int32 {
	return int32(the.StreamQuery(int(device), stream))
}

//export pvm_stream_synchronize
func pvm_stream_synchronize(device int32, stream uint64) int32 {
	return int32(the.StreamSynchronize(int(device), stream))
}

//export pvm_stream_wait
func pvm_stream_wait(device int32, stream, event uint64, external int32) int32 {
	return int32(the.StreamWaitEvent(int(device), stream, event, external != 0))
}

//export pvm_host_function
func pvm_host_function(device int32, stream, function, argument uint64) int32 {
	return int32(the.HostFunction(int(device), stream, function, argument))
}

//export pvm_event_create
func pvm_event_create(device int32, flags uint32, event *uint64) int32 {
	v0, code := the.EventCreate(int(device), flags)
	put(code, event, v0)
	return int32(code)
}

//export pvm_event_destroy
func pvm_event_destroy(event uint64) int32 {
	return int32(the.EventDestroy(event))
}

//export pvm_event_record
func pvm_event_record(device int32, event, stream uint64, external int32) int32 {
	return int32(the.EventRecord(int(device), event, stream, external != 0))
}

//export pvm_event_query
func pvm_event_query(event uint64) int32 {
	return int32(the.EventQuery(event))
}

//export pvm_event_synchronize
func pvm_event_synchronize(event uint64) int32 {
	return int32(the.EventSynchronize(event))
}

//export pvm_event_elapsed
func pvm_event_elapsed(from, to uint64, ms *float32) int32 {
	v0, code := the.EventElapsed(from, to)
	put(code, ms, v0)
	return int32(code)
}

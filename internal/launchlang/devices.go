package launchlang

// This file runs a launch on several devices of one machine at once (--devices N): each has copies of all buffers, variables
// and images, and reaches those of the others. Arguments name them, and what stands for several:
//
//	ptr:NAME@DEV    an address in the buffer of another device
//	mc:NAME         a multicast range over the buffers of all, for multimem instructions
//	le:NAME[@DEV]   the number of a unicast endpoint of the fabric over a buffer, a u32
//	lemc:NAME       that of a multicast endpoint over the buffers of all
//	device:TYPE     the number of the device, from 0

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"ptxvm.invalid/ptxvm"
)

// group is what the sessions of a machine share.
type group struct {
	sessions   []*Session // by device
	multicasts map[string]ptxvm.Multicast
	endpoints  map[string]ptxvm.Endpoint
}

// kinds of references beside addresses.
const (
	toAddress   = iota
	toMulticast // an address, too
	toEndpoint
	toMulticastEndpoint
	toDevice
)

// sharedArg reads the keywords of several devices; false: it is none of them.
func sharedArg(key, rest string) (Arg, bool, error) {
	kind, size := map[string]int{"mc": toMulticast, "le": toEndpoint, "lemc": toMulticastEndpoint, "device": toDevice}[key], 4
	switch {
	case kind == 0:
		return Arg{}, false, nil
	case kind == toDevice:
		zero, err := parseScalarArg(rest, "0")
		if err != nil {
			return Arg{}, true, fmt.Errorf("want device:TYPE, such as device:u32: %w", err)
		}
		return Arg{value: zero.value, places: []place{{0, reference{kind: kind, size: len(zero.value)}}}}, true, nil
	case rest == "":
		return Arg{}, true, fmt.Errorf("want %s:NAME, the name of a --buf", key)
	case kind == toMulticast:
		size = addressSize
	}
	to, err := parseReference(rest)
	to.kind, to.size = kind, size
	return Arg{value: make([]byte, size), places: []place{{0, to}}}, true, err
}

// store writes what a reference comes to.
func (s *Session) store(data []byte, to reference) error {
	v, err := s.value(to)
	if err != nil {
		return err
	}
	switch to.size {
	case 0, addressSize:
		binary.LittleEndian.PutUint64(data, v)
	default:
		for i := range to.size {
			data[i] = byte(v >> (8 * i))
		}
	}
	return nil
}

func (s *Session) value(to reference) (uint64, error) {
	switch to.kind {
	case toDevice:
		return uint64(s.rank), nil
	case toMulticast:
		m, err := s.multicast(to.name)
		return m.Addr() + uint64(to.add), err
	case toEndpoint, toMulticastEndpoint:
		e, err := s.endpoint(to)
		return uint64(e.ID()), err
	}
	return s.address(to)
}

// everywhere lists the buffers of a name, by device.
func (s *Session) everywhere(name string) (list []ptxvm.Buffer, err error) {
	for _, o := range s.group.sessions {
		n, err := o.find(name)
		if err != nil {
			return nil, err
		}
		list = append(list, n.buffer)
	}
	return list, nil
}

func (s *Session) multicast(name string) (ptxvm.Multicast, error) {
	if m, ok := s.group.multicasts[name]; ok {
		return m, nil
	}
	copies, err := s.everywhere(name)
	if err != nil {
		return ptxvm.Multicast{}, err
	}
	m, err := s.device.NewMulticast(copies...)
	if err == nil {
		s.group.multicasts[name] = m
	}
	return m, err
}

func (s *Session) endpoint(to reference) (e ptxvm.Endpoint, err error) {
	on, name, err := s.owner(to.name)
	if err != nil {
		return e, err
	}
	key := fmt.Sprintf("%d %d %s", to.kind, on.rank, name)
	if to.kind == toMulticastEndpoint {
		key = name
	}
	if e, ok := s.group.endpoints[key]; ok {
		return e, nil
	}
	if to.kind == toMulticastEndpoint {
		var copies []ptxvm.Buffer
		if copies, err = s.everywhere(name); err == nil {
			e, err = s.device.NewMulticastEndpoint(copies...)
		}
	} else {
		var n *named
		if n, err = on.find(name); err == nil {
			e, err = s.device.NewEndpoint(n.buffer)
		}
	}
	if err == nil {
		s.group.endpoints[key] = e
	}
	return e, err
}

// owner splits NAME@DEV into the device's session and the name; without @DEV it is this device.
func (s *Session) owner(text string) (*Session, string, error) {
	i := strings.LastIndexByte(text, '@')
	if i < 0 {
		return s, text, nil
	}
	n, err := strconv.Atoi(text[i+1:])
	if err != nil || n < 0 || n >= len(s.group.sessions) {
		return nil, "", fmt.Errorf("%s: there is no device %s; --devices %d makes 0 to %d", text, text[i+1:], len(s.group.sessions), len(s.group.sessions)-1)
	}
	return s.group.sessions[n], text[:i], nil
}

// loadAll makes the devices, with a session each; the first is s.
func (s *Session) loadAll(requests []Request) error {
	devices, err := ptxvm.NewDevices(s.Devices, &s.Config)
	if err != nil {
		return err
	}
	s.group = &group{multicasts: map[string]ptxvm.Multicast{}, endpoints: map[string]ptxvm.Endpoint{}}
	for i, d := range devices {
		o := s
		if i > 0 {
			o = &Session{Setup: s.Setup, group: s.group, rank: i}
		}
		if o.device = d; s.Opened != nil {
			s.Opened(d)
		}
		s.group.sessions = append(s.group.sessions, o)
	}
	for _, o := range s.group.sessions {
		if err := o.loadOne(onDevice(requests, o.rank)); err != nil {
			return err
		}
	}
	for _, o := range s.group.sessions { // addresses may be those of any
		for _, j := range o.Jobs {
			if err := j.checkReferences(); err != nil {
				return err
			}
		}
	}
	return nil
}

// onDevice gives the results of another device than the first files of their own.
func onDevice(requests []Request, rank int) []Request {
	if rank == 0 {
		return requests
	}
	out := make([]Request, len(requests))
	for i, r := range requests {
		r.expects = nil
		r.Specs, r.named, r.images = append([]Arg(nil), r.Specs...), append([]namedSpec(nil), r.named...), append([]Image(nil), r.images...)
		for k := range r.Specs {
			if b := r.Specs[k].buf; b != nil {
				own := *b
				own.sink = sinkOf(own.sink, rank)
				r.Specs[k].buf = &own
			}
		}
		for k := range r.named {
			r.named[k].sink = sinkOf(r.named[k].sink, rank)
		}
		for k := range r.images {
			r.images[k].to = sinkOf(r.images[k].to, rank)
		}
		out[i] = r
	}
	return out
}

// sinkOf is FILE@DEV with the extension behind it: out@1.npy.
func sinkOf(file string, rank int) string {
	if fileKey(file) == "" || file == "" || file == ToStdout {
		return file
	}
	ext := filepath.Ext(file)
	return fmt.Sprintf("%s@%d%s", strings.TrimSuffix(file, ext), rank, ext)
}

// Peers are the same launch on all devices.
func (j *Job) Peers() (list []*Job) {
	for i, o := range j.Session.Jobs {
		if o == j {
			for _, s := range j.group.sessions {
				list = append(list, s.Jobs[i])
			}
		}
	}
	return list
}

// LaunchAll runs the launch on all devices at once. The error is that of the first device that has one.
func (j *Job) LaunchAll(ctx context.Context) (ptxvm.Stats, error) {
	peers := j.Peers()
	if len(peers) == 1 {
		return j.Launch(ctx)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stats, errs := make([]ptxvm.Stats, len(peers)), make([]error, len(peers))
	var all sync.WaitGroup
	for i, p := range peers {
		all.Go(func() {
			if stats[i], errs[i] = p.Launch(ctx); errs[i] != nil && (p.Forgives == nil || !p.Forgives(errs[i])) {
				cancel(errOther) // what it owes the others never comes
			}
		})
	}
	all.Wait()
	return stats[0], firstCause(errs)
}

// errOther ends the launches of devices beside one that failed.
var errOther = errors.New("a launch of another device has failed")

// firstCause is the first error that is more than the end that another device has brought.
func firstCause(errs []error) (first error) {
	for i, err := range errs {
		var stopped *ptxvm.StoppedError
		var compiling *ptxvm.CompilingError // it had not yet begun
		other := (errors.As(err, &stopped) || errors.As(err, &compiling)) && errors.Is(err, context.Canceled)
		switch {
		case err == nil:
		case !other:
			return onDeviceError(i, err)
		case first == nil:
			first = err
		}
	}
	return first
}

// onDeviceError says where an error comes from, unless it is the first device.
func onDeviceError(rank int, err error) error {
	if rank == 0 {
		return err
	}
	return fmt.Errorf("device %d: %w", rank, err)
}

// Labelled puts the device behind the names of results, if there are several.
func (s *Session) Labelled(list []Result) []Result {
	for i := range list {
		if len(s.group.sessions) > 1 {
			list[i].name += "@" + strconv.Itoa(s.rank)
		}
	}
	return list
}

// LastResults are those of all devices that outlive launches, in their order.
func (s *Session) LastResults() (list []Result, err error) {
	for _, o := range s.group.sessions {
		own, err := o.results()
		if err != nil {
			return nil, err
		}
		list = append(list, o.Labelled(own)...)
	}
	return list, nil
}

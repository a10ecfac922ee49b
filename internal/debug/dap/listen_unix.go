//go:build unix

package dap

// This file listens for one client. Package net would bring libc along (TestStatic).

import (
	"errors"
	"net/netip"
	"os"

	"golang.org/x/sys/unix"
)

// AcceptOne waits for a client. listening is told where, once there is a socket.
func AcceptOne(at netip.AddrPort, listening func(netip.AddrPort)) (*os.File, error) {
	server, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = unix.Close(server) }() // what has connected stays
	unix.CloseOnExec(server)
	if err := unix.SetsockoptInt(server, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1); err != nil {
		return nil, err
	}
	if err := unix.Bind(server, &unix.SockaddrInet4{Port: int(at.Port()), Addr: at.Addr().As4()}); err != nil {
		return nil, err
	}
	if err := unix.Listen(server, 1); err != nil {
		return nil, err
	}
	name, err := unix.Getsockname(server)
	if err != nil {
		return nil, err
	}
	if bound, ok := name.(*unix.SockaddrInet4); ok {
		listening(netip.AddrPortFrom(netip.AddrFrom4(bound.Addr), uint16(bound.Port)))
	}
	for {
		client, _, err := unix.Accept(server)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return nil, err
		}
		unix.CloseOnExec(client)
		if err := unix.SetNonblock(client, true); err != nil { // else closing it would wait for a read that goes on
			return nil, errors.Join(err, unix.Close(client))
		}
		return os.NewFile(uintptr(client), "client"), nil
	}
}

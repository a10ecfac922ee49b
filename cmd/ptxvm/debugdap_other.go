//go:build !unix

package main

import (
	"errors"
	"net/netip"
	"os"
)

// acceptOne refuses: there is no listener here.
func acceptOne(netip.AddrPort, func(netip.AddrPort)) (*os.File, error) {
	return nil, errors.New("addresses are served on Unix alone: use --dap stdio")
}

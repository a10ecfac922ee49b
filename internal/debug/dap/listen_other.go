//go:build !unix

package dap

import (
	"errors"
	"net/netip"
	"os"
)

// AcceptOne refuses: there is no listener here.
func AcceptOne(netip.AddrPort, func(netip.AddrPort)) (*os.File, error) {
	return nil, errors.New("addresses are served on Unix alone: use --dap stdio")
}

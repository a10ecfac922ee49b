package dap

// This file reads addresses at which a client is waited for.

import (
	"fmt"
	"net/netip"
	"os"
	"regexp"
)

// OverStdio stands for standard input and output in the place of an address.
const OverStdio = "stdio"

// addressForm is an address as --dap takes it.
var addressForm = regexp.MustCompile(`^([a-zA-Z0-9.-]*):([0-9]+)$`)

// IsAddress reports whether a word is an address, or stdio, and no file.
func IsAddress(word string) bool {
	_, err := os.Stat(word)
	return err != nil && (word == OverStdio || addressForm.MatchString(word))
}

// ParseAddress reads HOST:PORT. Names are not looked up: that would need libc.
func ParseAddress(text string) (netip.AddrPort, error) {
	parts := addressForm.FindStringSubmatch(text)
	if parts == nil {
		return netip.AddrPort{}, fmt.Errorf("--dap %s: want stdio, :PORT or HOST:PORT", text)
	}
	host := parts[1]
	if host == "" || host == "localhost" {
		host = "127.0.0.1"
	}
	at, err := netip.ParseAddrPort(host + ":" + parts[2])
	if err != nil || !at.Addr().Is4() {
		return at, fmt.Errorf("--dap %s: want a port up to 65535 of localhost or of an IPv4 address", text)
	}
	return at, nil
}

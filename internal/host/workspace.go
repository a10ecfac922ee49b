package host

// This file holds the grid workspace: memory that the driver gives to a cooperative launch.
// Code of cooperative groups finds it by %envreg1 (high half of the address) and %envreg2
// (low half) and keeps the counter of its grid barrier there; the driver clears it.

import "ptxvm.invalid/ptxvm/internal/mem"

// workspaceBytes is more than grid barriers of any known version of the headers use.
const workspaceBytes = 256

// setWorkspace clears the crew's workspace, which it allocates at the first launch.
func (c *crew) setWorkspace(a *mem.Arena) error {
	if c.workspace == 0 {
		addr, err := a.Alloc(workspaceBytes, mem.Info{Label: "grid workspace", Internal: true})
		if err != nil {
			return err
		}
		c.workspace, c.zeroed = addr, a.Bytes(addr, workspaceBytes)
	}
	clear(c.zeroed)
	return nil
}

//go:build unix

package cc

import (
	"io/fs"
	"os"
	"os/exec"
	"syscall"
)

// group makes a command the leader of a group of processes: a C compiler starts others.
func group(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// kill ends a command that has not been waited for, and its group.
func kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// own reports whether a file is the user's, and none of the bits of others is set.
func own(f fs.FileInfo, others fs.FileMode) bool {
	s, ok := f.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Geteuid() && f.Mode()&others == 0
}

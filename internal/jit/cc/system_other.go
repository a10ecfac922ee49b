//go:build !unix

package cc

import (
	"io/fs"
	"os/exec"
)

// There is no C compiler here (Find).

func group(*exec.Cmd)                       {}
func kill(cmd *exec.Cmd)                    { _ = cmd.Process.Kill() }
func own(_ fs.FileInfo, _ fs.FileMode) bool { return false }

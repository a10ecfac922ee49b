package cputime

import (
	"time"

	"golang.org/x/sys/windows"
)

// Used is the time that all threads of the process have run, in user mode and in the kernel.
func Used() time.Duration {
	var created, exited, kernel, user windows.Filetime
	if windows.GetProcessTimes(windows.CurrentProcess(), &created, &exited, &kernel, &user) != nil {
		return 0
	}
	return spent(kernel) + spent(user)
}

// spent is a duration that Windows counts in units of 100 ns.
func spent(t windows.Filetime) time.Duration {
	return time.Duration(uint64(t.HighDateTime)<<32|uint64(t.LowDateTime)) * 100
}

// Package capture is the form of captured launches: folders that hold a launch with the memory that it began with, so that any
// machine can run it again. It writes and reads them; what a launch is, it does not know.
//
//	module.ptx      the modules, as given (several: module-1.ptx …)
//	launch.txt      a file of options that names the rest relative to itself
//	memory.json     allocations, variables and images, by address, and where their bytes are
//	memory.zst      these bytes, pages of zeros left out
//	report.json     why it was captured; may be missing
//	after.sha256    a digest of what the launch left; may be missing
//
// Folders come from anywhere: what is read is held against every promise before anything is made of it.
package capture

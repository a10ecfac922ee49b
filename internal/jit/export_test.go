package jit

// Leaving makes code leave at every instruction for which leave is true.
func Leaving(o Options, leave func(pc int32) bool) Options {
	o.leave = leave
	return o
}

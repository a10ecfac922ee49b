//go:build !(linux && amd64)

package host

func processor() int32 { return -1 }

func moveFrom(int32) {}

package syntax

func DumpTree(f *File) string { return "" }

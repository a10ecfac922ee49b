package main

// This file lets verbs take trees of files, as the go command does: DIR/... is every .ptx file in DIR and below.

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
)

// eachFile replaces trees by their files, in the order of their names; a tree without any is a usage error.
func eachFile(args []string) (files []string, err error) {
	for _, arg := range args {
		root, tree := strings.CutSuffix(arg, "...")
		if !tree || root != "" && !strings.HasSuffix(root, "/") && !strings.HasSuffix(root, string(filepath.Separator)) {
			files = append(files, arg)
			continue
		}
		found, err := filesBelow(filepath.Clean(root))
		if err != nil {
			return nil, usageError{err}
		}
		if len(found) == 0 {
			return nil, usageError{fmt.Errorf("%s: no .ptx file", arg)}
		}
		files = append(files, found...)
	}
	return files, nil
}

// filesBelow lists the .ptx files of a tree, but for those in directories whose names begin with a point.
func filesBelow(root string) (files []string, err error) {
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case !d.IsDir() && filepath.Ext(path) == ".ptx":
			files = append(files, path)
		}
		return nil
	})
	return files, err
}

package mcp

// This file answers requests other than calls of tools.

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// versions of the protocol that this server speaks, the newest first. Clients of later ones fall back to them.
var versions = []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

// instructions tell a client's model what there is.
const instructions = `ptxvm checks and runs PTX, NVIDIA's instruction set for GPUs, without a GPU. check judges a module as ptxas does; run launches a
kernel; sanitize launches it and reports out-of-bounds accesses, races, wrong barriers, unwritten values, missing waits, each with its line and
its fix; explain says what an instruction or an error code means; isa lists what exists for a target; grade compares a kernel in Python, CUDA C++
or PTX with a reference. Each answer ends with the command line that gives it again.`

// object is one of JSON.
type object = map[string]any

// answer answers a request. Its error is a *rpcError.
func (s *Server) answer(m *message) (any, error) {
	switch m.Method {
	case "initialize":
		return s.initialize(m.Params), nil
	case "ping":
		return object{}, nil
	case "tools/list":
		return object{"tools": s.tools}, nil
	case "resources/list":
		list, err := s.resources()
		return object{"resources": list}, err
	case "resources/templates/list":
		return object{"resourceTemplates": []any{}}, nil
	case "resources/read":
		return s.read(m.Params)
	}
	return nil, &rpcError{noMethod, "there is no method " + m.Method}
}

// initialize agrees on a version: the client's, where this server knows it.
func (s *Server) initialize(params json.RawMessage) object {
	var p struct {
		Version string `json:"protocolVersion"`
	}
	version := versions[0]
	if json.Unmarshal(params, &p) == nil && slices.Contains(versions, p.Version) {
		version = p.Version
	}
	return object{
		"protocolVersion": version,
		"capabilities":    object{"tools": object{}, "resources": object{}},
		"serverInfo":      object{"name": "ptxvm", "title": "ptxvm", "version": s.Version},
		"instructions":    instructions,
	}
}

// scheme is what addresses of pages begin with.
const scheme = "ptxvm://docs/"

// resources lists the pages.
func (s *Server) resources() ([]object, error) {
	list := []object{}
	err := fs.WalkDir(s.Pages, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Ext(name) != ".md" {
			return err
		}
		text, err := fs.ReadFile(s.Pages, name)
		list = append(list, object{"uri": scheme + name, "name": name, "title": heading(text), "mimeType": "text/markdown", "size": len(text)})
		return err
	})
	if err != nil {
		return nil, &rpcError{noResource, err.Error()}
	}
	return list, nil
}

// heading is the first heading of a page; a comment may stand before it.
func heading(page []byte) string {
	for line := range bytes.Lines(page) {
		if title, found := bytes.CutPrefix(line, []byte("# ")); found {
			return string(bytes.TrimSpace(title))
		}
	}
	return ""
}

// read gives a page.
func (s *Server) read(params json.RawMessage) (any, error) {
	var p struct {
		URI string `json:"uri"`
	}
	if json.Unmarshal(params, &p) != nil || p.URI == "" {
		return nil, &rpcError{invalidParams, "resources/read wants a uri"}
	}
	name, ours := strings.CutPrefix(p.URI, scheme)
	text, err := fs.ReadFile(s.Pages, name)
	if !ours || err != nil {
		return nil, &rpcError{noResource, "there is no " + p.URI + "; resources/list has all"}
	}
	return object{"contents": []object{{"uri": p.URI, "mimeType": "text/markdown", "text": string(text)}}}, nil
}

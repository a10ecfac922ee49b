package lsp

// This file begins and ends a session, and keeps documents.

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"path"
	"slices"

	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/lsp/doc"
)

const manual = isa.Manual

// encodings are the units of columns by their names, the one that needs no conversion first.
var encodings = []struct {
	name string
	unit doc.Encoding
}{{"utf-8", doc.UTF8}, {"utf-16", doc.UTF16}, {"utf-32", doc.UTF32}}

// encodingOf is what server and client count columns in; who offers nothing counts UTF-16.
func encodingOf(offered []string) (string, doc.Encoding) {
	for _, e := range encodings {
		if slices.Contains(offered, e.name) {
			return e.name, e.unit
		}
	}
	return "utf-16", doc.UTF16
}

func (s *server) initialize(_ context.Context, p *initializeParams) (any, error) {
	if s.initialized {
		return nil, fmt.Errorf("initialize came a second time")
	}
	s.initialized = true
	s.client = p.Capabilities
	s.configure(p.InitializationOptions)
	name, unit := encodingOf(p.Capabilities.General.PositionEncodings)
	s.encoding = unit
	return map[string]any{
		"capabilities": capabilities(name),
		"serverInfo":   map[string]string{"name": "ptxvm", "version": s.version},
	}, nil
}

// configure takes settings; what is no object changes nothing.
func (s *server) configure(settings json.RawMessage) {
	var nested struct {
		PTXVM *options `json:"ptxvm"`
	}
	if json.Unmarshal(settings, &nested) == nil && nested.PTXVM != nil {
		s.options = *nested.PTXVM
		return
	}
	var plain options
	if json.Unmarshal(settings, &plain) == nil {
		s.options = plain
	}
}

func (s *server) didChangeConfiguration(_ context.Context, p *configurationParams) (any, error) {
	s.configure(p.Settings)
	for _, d := range s.docs {
		d.Snapshot, d.changed = doc.New(d.Name, d.Text, s.options.check()), true
	}
	return nil, nil
}

// capabilities are what the server can do.
func capabilities(encoding string) map[string]any {
	return map[string]any{
		"positionEncoding":   encoding,
		"textDocumentSync":   map[string]any{"openClose": true, "change": 2, "save": true},
		"diagnosticProvider": map[string]any{"interFileDependencies": false, "workspaceDiagnostics": false},
		"hoverProvider":      true,
		"completionProvider": map[string]any{"triggerCharacters": []string{".", "%", "@", "$"},
			"resolveProvider": true},
		"signatureHelpProvider":     map[string]any{"triggerCharacters": []string{" ", ","}},
		"definitionProvider":        true,
		"declarationProvider":       true,
		"referencesProvider":        true,
		"documentHighlightProvider": true,
		"renameProvider":            map[string]any{"prepareProvider": true},
		"documentSymbolProvider":    true,
		"workspaceSymbolProvider":   true,
		"foldingRangeProvider":      true,
		"inlayHintProvider":         true,
		"semanticTokensProvider": map[string]any{"legend": map[string]any{"tokenTypes": tokenTypes,
			"tokenModifiers": tokenModifiers}, "full": true, "range": true},
		"documentFormattingProvider":      true,
		"documentRangeFormattingProvider": true,
		"documentOnTypeFormattingProvider": map[string]any{"firstTriggerCharacter": ";",
			"moreTriggerCharacter": []string{"}", "\n"}},
		"codeActionProvider":     map[string]any{"codeActionKinds": []string{"quickfix", "source.fixAll"}},
		"codeLensProvider":       map[string]any{},
		"callHierarchyProvider":  true,
		"selectionRangeProvider": true,
		"documentLinkProvider":   map[string]any{},
		"executeCommandProvider": map[string]any{"commands": commandNames()},
	}
}

func (s *server) shutDown(context.Context, *struct{}) (any, error) {
	s.shutdown = true
	return nil, nil
}

// fileName is what messages call a document.
func fileName(uri string) string {
	if u, err := url.Parse(uri); err == nil && u.Path != "" {
		return path.Base(u.Path)
	}
	return uri
}

func (s *server) didOpen(_ context.Context, p *didOpenParams) (any, error) {
	t := &p.TextDocument
	s.docs[t.URI] = &document{Snapshot: doc.New(fileName(t.URI), []byte(t.Text), s.options.check()), uri: t.URI,
		version: t.Version, changed: true}
	return nil, nil
}

// didChange makes edits one after the other: each is at the places of the text before it.
func (s *server) didChange(_ context.Context, p *didChangeParams) (any, error) {
	d := s.docs[p.TextDocument.URI]
	if d == nil {
		return nil, fmt.Errorf("%q was changed and is not open", p.TextDocument.URI)
	}
	for _, c := range p.ContentChanges {
		if c.Range == nil {
			d.Snapshot = doc.New(d.Name, []byte(c.Text), s.options.check())
			continue
		}
		at := doc.Span{Start: d.Offset(c.Range.Start.Line, c.Range.Start.Character, s.encoding),
			End: d.Offset(c.Range.End.Line, c.Range.End.Character, s.encoding)}
		d.Snapshot = d.Edit(at, c.Text)
	}
	d.version, d.changed = p.TextDocument.Version, true
	return nil, nil
}

func (s *server) didClose(ctx context.Context, p *documentParams) (any, error) {
	if s.docs[p.uri()] == nil {
		return nil, nil
	}
	delete(s.docs, p.uri())
	if s.client.TextDocument.Diagnostic == nil {
		return nil, s.conn.Notify(ctx, "textDocument/publishDiagnostics", publishParams{URI: p.uri(),
			Diagnostics: []diagnostic{}})
	}
	return nil, nil
}

package lsp

// This file declares the messages of the protocol, version 3.17 (3.18 changes none of them), as far as the server reads and writes
// them. Fields have the names of the specification.

import "encoding/json"

type position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// textRange is a Range.
type textRange struct {
	Start position `json:"start"`
	End   position `json:"end"`
}

type location struct {
	URI   string    `json:"uri"`
	Range textRange `json:"range"`
}

type textEdit struct {
	Range   textRange `json:"range"`
	NewText string    `json:"newText"`
}

type documentID struct {
	URI     string `json:"uri"`
	Version *int32 `json:"version,omitempty"`
}

// documentParams name a document.
type documentParams struct {
	TextDocument documentID `json:"textDocument"`
}

func (p *documentParams) uri() string { return p.TextDocument.URI }

// positionParams name a place.
type positionParams struct {
	documentParams
	Position position `json:"position"`
}

// rangeParams name a part of a document.
type rangeParams struct {
	documentParams
	Range textRange `json:"range"`
}

type initializeParams struct {
	ProcessID             *int            `json:"processId"`
	Capabilities          clientAbilities `json:"capabilities"`
	InitializationOptions json.RawMessage `json:"initializationOptions"`
}

// clientAbilities are the capabilities of a client that change what the server says.
type clientAbilities struct {
	General struct {
		PositionEncodings []string `json:"positionEncodings"`
	} `json:"general"`
	Workspace struct {
		WorkspaceEdit struct {
			DocumentChanges bool `json:"documentChanges"`
		} `json:"workspaceEdit"`
	} `json:"workspace"`
	TextDocument struct {
		Diagnostic *struct{} `json:"diagnostic"`
		Hover      struct {
			ContentFormat []string `json:"contentFormat"`
		} `json:"hover"`
	} `json:"textDocument"`
}

type didOpenParams struct {
	TextDocument struct {
		URI        string `json:"uri"`
		LanguageID string `json:"languageId"`
		Version    int32  `json:"version"`
		Text       string `json:"text"`
	} `json:"textDocument"`
}

type didChangeParams struct {
	TextDocument struct {
		URI     string `json:"uri"`
		Version int32  `json:"version"`
	} `json:"textDocument"`
	ContentChanges []struct {
		Range *textRange `json:"range"`
		Text  string     `json:"text"`
	} `json:"contentChanges"`
}

type configurationParams struct {
	Settings json.RawMessage `json:"settings"`
}

type markup struct {
	Kind  string `json:"kind"`
	Value string `json:"value"`
}

type hover struct {
	Contents markup    `json:"contents"`
	Range    textRange `json:"range"`
}

type completionList struct {
	IsIncomplete bool             `json:"isIncomplete"`
	Items        []completionItem `json:"items"`
}

type completionItem struct {
	Label         string    `json:"label"`
	Kind          int       `json:"kind,omitempty"`
	Detail        string    `json:"detail,omitempty"`
	Documentation *markup   `json:"documentation,omitempty"`
	SortText      string    `json:"sortText,omitempty"`
	FilterText    string    `json:"filterText,omitempty"`
	TextEdit      *textEdit `json:"textEdit,omitempty"`
	Data          string    `json:"data,omitempty"` // a name to explain
}

type signatureHelp struct {
	Signatures      []signature `json:"signatures"`
	ActiveSignature int         `json:"activeSignature"`
	ActiveParameter int         `json:"activeParameter"`
}

type signature struct {
	Label         string      `json:"label"`
	Documentation string      `json:"documentation,omitempty"`
	Parameters    []parameter `json:"parameters"`
}

type parameter struct {
	Label [2]int `json:"label"` // offsets in the signature's label
}

type referenceParams struct {
	positionParams
	Context struct {
		IncludeDeclaration bool `json:"includeDeclaration"`
	} `json:"context"`
}

type highlight struct {
	Range textRange `json:"range"`
	Kind  int       `json:"kind"`
}

type renameParams struct {
	positionParams
	NewName string `json:"newName"`
}

type renameRange struct {
	Range       textRange `json:"range"`
	Placeholder string    `json:"placeholder"`
}

type documentEdit struct {
	TextDocument documentID `json:"textDocument"`
	Edits        []textEdit `json:"edits"`
}

type workspaceEdit struct {
	Changes         map[string][]textEdit `json:"changes,omitempty"`
	DocumentChanges []documentEdit        `json:"documentChanges,omitempty"`
}

type documentSymbol struct {
	Name           string           `json:"name"`
	Detail         string           `json:"detail,omitempty"`
	Kind           int              `json:"kind"`
	Range          textRange        `json:"range"`
	SelectionRange textRange        `json:"selectionRange"`
	Children       []documentSymbol `json:"children,omitempty"`
}

type workspaceSymbol struct {
	Name     string   `json:"name"`
	Kind     int      `json:"kind"`
	Location location `json:"location"`
}

type foldingRange struct {
	StartLine int    `json:"startLine"`
	EndLine   int    `json:"endLine"`
	Kind      string `json:"kind,omitempty"`
}

type inlayHint struct {
	Position position `json:"position"`
	Label    string   `json:"label"`
	Tooltip  string   `json:"tooltip,omitempty"`
}

type semanticTokens struct {
	Data []int `json:"data"`
}

type onTypeParams struct {
	positionParams
	Ch string `json:"ch"`
}

type codeActionParams struct {
	rangeParams
	Context struct {
		Only []string `json:"only"`
	} `json:"context"`
}

type codeAction struct {
	Title       string         `json:"title"`
	Kind        string         `json:"kind"`
	Diagnostics []diagnostic   `json:"diagnostics,omitempty"`
	IsPreferred bool           `json:"isPreferred,omitempty"`
	Edit        *workspaceEdit `json:"edit,omitempty"`
}

type codeLens struct {
	Range   textRange `json:"range"`
	Command command   `json:"command"`
}

type command struct {
	Title     string `json:"title"`
	Command   string `json:"command"`
	Arguments []any  `json:"arguments,omitempty"`
}

type callItem struct {
	Name           string    `json:"name"`
	Kind           int       `json:"kind"`
	Detail         string    `json:"detail,omitempty"`
	URI            string    `json:"uri"`
	Range          textRange `json:"range"`
	SelectionRange textRange `json:"selectionRange"`
}

// callParams name an item of a call hierarchy.
type callParams struct {
	Item callItem `json:"item"`
}

func (p *callParams) uri() string { return p.Item.URI }

type incomingCall struct {
	From       callItem    `json:"from"`
	FromRanges []textRange `json:"fromRanges"`
}

type outgoingCall struct {
	To         callItem    `json:"to"`
	FromRanges []textRange `json:"fromRanges"`
}

type selectionParams struct {
	documentParams
	Positions []position `json:"positions"`
}

type selectionRange struct {
	Range  textRange       `json:"range"`
	Parent *selectionRange `json:"parent,omitempty"`
}

type documentLink struct {
	Range  textRange `json:"range"`
	Target string    `json:"target"`
}

type queryParams struct {
	Query string `json:"query"`
}

type commandParams struct {
	Command   string            `json:"command"`
	Arguments []json.RawMessage `json:"arguments"`
}

type diagnostic struct {
	Range              textRange     `json:"range"`
	Severity           int           `json:"severity"`
	Code               string        `json:"code"`
	Source             string        `json:"source"`
	Message            string        `json:"message"`
	RelatedInformation []relatedNote `json:"relatedInformation,omitempty"`
}

type relatedNote struct {
	Location location `json:"location"`
	Message  string   `json:"message"`
}

type publishParams struct {
	URI         string       `json:"uri"`
	Version     int32        `json:"version"`
	Diagnostics []diagnostic `json:"diagnostics"`
}

type diagnosticReport struct {
	Kind  string       `json:"kind"`
	Items []diagnostic `json:"items"`
}

type messageParams struct {
	Type    int    `json:"type"` // 1 error, 2 warning, 3 information, 4 log
	Message string `json:"message"`
}

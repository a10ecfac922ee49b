package syntax

// This file numbers the words of a file, so that later stages compare and look up
// integers. The words of the grammar have fixed numbers.

// Word is the number of a distinct identifier or dot-word within one file; equal
// numbers mean equal text. Numbers below WordCount are the same in every file.
type Word uint32

// The words that the grammar knows. They are directives, never instructions.
const (
	WordNone Word = iota
	WordVersion
	WordTarget
	WordAddressSize
	WordFile
	WordSection
	WordPragma
	WordAlias
	WordIntermediateSource
	WordCodeBlock
	WordIRName
	WordSourceFileName
	WordSourceBegin
	WordSourceEnd
	WordEntry
	WordFunc
	WordExtern
	WordVisible
	WordWeak
	WordCommon
	WordReg
	WordSreg
	WordConst
	WordGlobal
	WordLocal
	WordParam
	WordShared
	WordTex
	WordAlign
	WordAttribute
	WordPtr
	WordV2
	WordV4
	WordV8
	WordManaged
	WordUnified
	WordLoc
	WordLocIntermediate
	WordBranchTargets
	WordCallTargets
	WordCallPrototype
	WordMaxNReg
	WordMaxNTid
	WordReqNTid
	WordMinNCTAPerSM
	WordMaxNCTAPerSM
	WordNoReturn
	WordAbiPreserve
	WordAbiPreserveControl
	WordMinPerCTAMemory
	WordReqNCTAPerCluster
	WordExplicitCluster
	WordMaxClusterRank
	WordBlocksAreClusters
	WordLanguage
	WordWarpSize
	WordSink
	WordGeneric
	WordFunctionName
	WordInlinedAt
	WordDWARF
	WordS64
	WordU64
	WordB8
	WordCount
)

var grammarWords = [WordCount]string{
	WordVersion: ".version", WordTarget: ".target", WordAddressSize: ".address_size",
	WordFile: ".file", WordSection: ".section", WordPragma: ".pragma", WordAlias: ".alias",
	WordIntermediateSource: ".nv_intermediate_source_section", WordCodeBlock: ".code_block",
	WordIRName: ".ir_name", WordSourceFileName: ".sourceFileName",
	WordSourceBegin: ".source_begin", WordSourceEnd: ".source_end",
	WordEntry: ".entry", WordFunc: ".func",
	WordExtern: ".extern", WordVisible: ".visible", WordWeak: ".weak", WordCommon: ".common",
	WordReg: ".reg", WordSreg: ".sreg", WordConst: ".const", WordGlobal: ".global", WordLocal: ".local",
	WordParam: ".param", WordShared: ".shared", WordTex: ".tex",
	WordAlign: ".align", WordAttribute: ".attribute", WordPtr: ".ptr",
	WordV2: ".v2", WordV4: ".v4", WordV8: ".v8", WordManaged: ".managed", WordUnified: ".unified",
	WordLoc: ".loc", WordLocIntermediate: ".loc_intermediate",
	WordBranchTargets: ".branchtargets", WordCallTargets: ".calltargets", WordCallPrototype: ".callprototype",
	WordMaxNReg: ".maxnreg", WordMaxNTid: ".maxntid", WordReqNTid: ".reqntid",
	WordMinNCTAPerSM: ".minnctapersm", WordMaxNCTAPerSM: ".maxnctapersm", WordNoReturn: ".noreturn",
	WordAbiPreserve: ".abi_preserve", WordAbiPreserveControl: ".abi_preserve_control",
	WordMinPerCTAMemory: ".minperctamemory", WordReqNCTAPerCluster: ".reqnctapercluster",
	WordExplicitCluster: ".explicitcluster", WordMaxClusterRank: ".maxclusterrank",
	WordBlocksAreClusters: ".blocksareclusters", WordLanguage: ".language",
	WordWarpSize: "WARP_SZ", WordSink: "_", WordGeneric: "generic",
	WordFunctionName: "function_name", WordInlinedAt: "inlined_at", WordDWARF: "DWARF",
	WordS64: ".s64", WordU64: ".u64", WordB8: ".b8",
}

// role is the part that a word plays in the grammar of directives.
type role uint8

const (
	roleNone       role = iota
	roleModule          // begins a statement of module level
	roleFunction        // .entry, .func
	roleLinkage         // .extern, .visible, .weak, .common
	roleSpace           // a state space: begins a declaration
	roleSpecifier       // .align, .attribute: may begin a declaration
	roleVector          // .v2, .v4, .v8
	roleBody            // begins a directive statement in a body
	roleAttachment      // stands between the head and the body of a function
)

var roles = [WordCount]role{
	WordVersion: roleModule, WordTarget: roleModule, WordAddressSize: roleModule, WordFile: roleModule,
	WordSection: roleModule, WordAlias: roleModule, WordIntermediateSource: roleModule,
	WordEntry: roleFunction, WordFunc: roleFunction,
	WordExtern: roleLinkage, WordVisible: roleLinkage, WordWeak: roleLinkage, WordCommon: roleLinkage,
	WordReg: roleSpace, WordSreg: roleSpace, WordConst: roleSpace, WordGlobal: roleSpace, WordLocal: roleSpace,
	WordParam: roleSpace, WordShared: roleSpace, WordTex: roleSpace,
	WordAlign: roleSpecifier, WordAttribute: roleSpecifier,
	WordV2: roleVector, WordV4: roleVector, WordV8: roleVector,
	WordPragma: roleBody, WordLoc: roleBody, WordLocIntermediate: roleBody,
	WordBranchTargets: roleBody, WordCallTargets: roleBody, WordCallPrototype: roleBody,
	WordMaxNReg: roleAttachment, WordMaxNTid: roleAttachment, WordReqNTid: roleAttachment,
	WordMinNCTAPerSM: roleAttachment, WordMaxNCTAPerSM: roleAttachment, WordNoReturn: roleAttachment,
	WordAbiPreserve: roleAttachment, WordAbiPreserveControl: roleAttachment,
	WordMinPerCTAMemory: roleAttachment, WordReqNCTAPerCluster: roleAttachment,
	WordExplicitCluster: roleAttachment, WordMaxClusterRank: roleAttachment,
	WordBlocksAreClusters: roleAttachment, WordLanguage: roleAttachment,
}

func roleOf(w Word) role {
	if w < WordCount {
		return roles[w]
	}
	return roleNone
}

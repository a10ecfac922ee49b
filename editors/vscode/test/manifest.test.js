'use strict';
// package.json names what is there, and what it has of patterns, snippets and grammars does what it is for.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { test } = require('node:test');

const root = path.join(__dirname, '..');
const read = (name) => fs.readFileSync(path.join(root, name), 'utf8');
const manifest = JSON.parse(read('package.json'));
const { contributes } = manifest;

test('all files and commands that are named are there', () => {
  const files = [contributes.languages[0].configuration, ...contributes.grammars.map((g) => g.path), ...contributes.snippets.map((s) => s.path),
    ...contributes.walkthroughs[0].steps.map((s) => s.media.markdown), 'README.md'];
  for (const file of files) assert.ok(fs.existsSync(path.join(root, file)), file);
  const code = fs.readdirSync(path.join(root, 'src')).map((f) => read(`src/${f}`)).join('\n');
  for (const { command } of contributes.commands) assert.ok(code.includes(`command('${command}'`), command);
  for (const menu of Object.values(contributes.menus)) {
    for (const { command } of menu) assert.ok(contributes.commands.some((c) => c.command === command), command);
  }
});

test('the settings are those that are read', () => {
  const code = fs.readdirSync(path.join(root, 'src')).map((f) => read(`src/${f}`)).join('\n');
  const names = Object.keys(contributes.configuration.properties).map((n) => n.replace('ptxvm.', '')).filter((n) => n !== 'trace.server');
  const asked = [...code.matchAll(/settings\.get\('(\w+)'/g)].map((m) => m[1]);
  assert.deepEqual([...new Set(asked)].sort(), names.sort());
});

test('what the server is told is what docs/lsp.md and the server know', () => {
  const { serverOptions } = require('../src/settings.js');
  const go = read('../../internal/lsp/server.go');
  for (const key of Object.keys(serverOptions({ get: (_, otherwise) => otherwise }))) assert.ok(go.includes(`json:"${key}"`), key);
});

test('a launch has what docs/dap.md lists', () => {
  const table = read('../../docs/dap.md').split('## Launch')[1].split('\n\n')[1];
  const listed = [...table.matchAll(/^\| `(\w+)`/gm)].map((m) => m[1]).filter((n) => n !== 'noDebug');
  const ours = Object.keys(contributes.debuggers[0].configurationAttributes.launch.properties);
  assert.deepEqual(ours.filter((n) => !['command', 'launch', 'execArgs'].includes(n)).sort(), listed.sort());
});

/** What a snippet inserts if nothing is typed. */
const inserted = (text) => text.replace(/\$\{\d+:([^}]*)\}|\$\d+/g, (_, otherwise) => otherwise ?? '');

test('snippets of launch.json are launches', () => {
  const { fault } = require('../src/launch.js');
  for (const { body } of contributes.debuggers[0].configurationSnippets) {
    const text = JSON.stringify(body).replace(/"\^(\\"(?:[^"\\]|\\\\|\\[^"])*\\")"/g, (_, t) => JSON.parse(`"${t}"`)).replaceAll('\\${', '$\\{');
    const configuration = JSON.parse(inserted(text).replaceAll('$\\{', '${'));
    assert.equal(fault(configuration), '', JSON.stringify(configuration));
    assert.match(configuration.program ?? configuration.command[0], /^\$\{workspaceFolder\}\/\w/);
  }
});

test('snippets of PTX have prefixes and bodies', () => {
  for (const [name, s] of Object.entries(JSON.parse(read('snippets/ptx.json')))) {
    assert.ok(s.prefix && s.description && s.body.length > 0, name);
    assert.doesNotMatch(inserted(s.body.join('\n')), /\$\{|\$\d/, name);
  }
});

/** The problem that a matcher finds in a line. */
function problem(pattern, line) {
  const p = contributes.problemPatterns.find((x) => x.name === pattern);
  const m = new RegExp(p.regexp).exec(line);
  return m && [m[p.file], m[p.line], m[p.column], m[p.severity], m[p.code], m[p.message]];
}

test('problems are what check, run and exec print', () => {
  for (const [line, want] of [
    ['/tmp/k.ptx:3:17: error P3002: .u33 is not allowed in add.u33; want .u32', ['/tmp/k.ptx', '3', '17', 'error', 'P3002', '.u33 is not allowed in add.u33; want .u32']],
    ['k.ptx:9:1: warning P4001: x', ['k.ptx', '9', '1', 'warning', 'P4001', 'x']],
    ['saxpy.cu:5:5: P8008: access to 4 bytes', ['saxpy.cu', '5', '5', undefined, 'P8008', 'access to 4 bytes']],
    ['ptxvm: too many.cu:13:5: fault P7001: access out of bounds', ['too many.cu', '13', '5', 'fault', 'P7001', 'access out of bounds']],
    ['c:\\k.ptx:3:17: error P3002: x', ['c:\\k.ptx', '3', '17', 'error', 'P3002', 'x']],
    ['    3 | .entry k() { add.u33; ret; }', null],
    ['  ptx:    examples/saxpy/saxpy.ptx:49:2  ld.global.f32 %f2, [%rd6];', null],
    ['k.ptx:9:1: remark P4001: x', null],
  ]) assert.deepEqual(problem('ptxvm', line), want, line);
  assert.deepEqual(problem('ptxvm-remark', 'k.ptx:9:1: remark P4001: x').slice(0, 3), ['k.ptx', '9', '1']);
});

test('words of the editor are those of PTX', () => {
  const pattern = new RegExp(JSON.parse(read('language-configuration.json')).wordPattern, 'g');
  assert.deepEqual('mad.lo.s32 %r1, %tid.x, 0x1F; $L__BB0_2: [_Z1fPf_param_0+4] %0'.match(pattern),
    ['mad', 'lo', 's32', '%r1', '%tid', 'x', '0x1F', '$L__BB0_2', '_Z1fPf_param_0', '4', '%0']);
});

test('the grammar colours a kernel', async () => {
  const { Registry, INITIAL } = require('vscode-textmate');
  const onig = require('vscode-oniguruma');
  await onig.loadWASM(fs.readFileSync(require.resolve('vscode-oniguruma/release/onig.wasm')));
  const registry = new Registry({
    onigLib: Promise.resolve({ createOnigScanner: (p) => new onig.OnigScanner(p), createOnigString: (s) => new onig.OnigString(s) }),
    loadGrammar: async () => JSON.parse(read('syntaxes/ptx.tmLanguage.json')),
  });
  const grammar = await registry.loadGrammar('source.ptx');
  const scopes = {};
  let stack = INITIAL;
  for (const line of ['.version 8.0 // add.f32', 'LOOP: @%p1 add.sat.s32 %r1, %tid.x, 0x1F;', '/* mov', 'ret; */ mov.f32 %f1, 0f3F800000;', '.target sm_90a']) {
    const out = grammar.tokenizeLine(line, stack);
    stack = out.ruleStack;
    for (const t of out.tokens) scopes[line.slice(t.startIndex, t.endIndex).trim()] ??= t.scopes.at(-1);
  }
  for (const [word, scope] of Object.entries({
    '.version': 'keyword.other.directive.ptx', '// add.f32': 'comment.line.double-slash.ptx', LOOP: 'entity.name.label.ptx', '@': 'keyword.control.guard.ptx',
    '%p1': 'variable.other.register.ptx', add: 'keyword.operator.instruction.ptx', '.sat': 'storage.modifier.ptx', '.s32': 'storage.type.ptx',
    '%tid': 'variable.language.special.ptx', '0x1F': 'constant.numeric.integer.ptx', 'ret;': 'comment.block.ptx', '0f3F800000': 'constant.numeric.float.ptx',
    sm_90a: 'constant.language.target.ptx',
  })) assert.equal(scopes[word], scope, word);
});

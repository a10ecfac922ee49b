'use strict';
// The extension in an editor that is made up (vscode.js), with a ptxvm that is a script.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { test, beforeEach, after } = require('node:test');
const editor = require('./vscode.js');
const { activate, deactivate } = require('../src/extension.js');

const { seen, answers, state } = editor;
const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'ptxvm-test-'));
after(() => fs.rmSync(dir, { recursive: true, force: true }));

/** Stands for ptxvm: proposes arguments, and captures what is no "broken" program. */
const command = path.join(dir, 'ptxvm');
fs.writeFileSync(command, `#!/bin/sh
case "$1" in
version) echo ptxvm ;;
run) echo "k takes 1 argument, 0 given" >&2; echo "ptxvm run '$2' --kernel k --grid 1 --block 32 --arg 'inout:f32x32=0'" >&2; exit 2 ;;
exec) [ "$4" = broken ] && { echo "there is no broken" >&2; exit 1; }
  words=$*; [ "$3" = K:2 ] && shift; mkdir -p "$3"; echo "$words" >"$3/launch.txt"; exit 5 ;;
esac
`, { mode: 0o755 });

const module1 = '.version 8.0\n.target sm_80\n.entry k(.param .u64 p) { ret; }\n';
let context;

/** Activates the extension with documents that are open. */
async function open(...documents) {
  state.documents = documents;
  state.configuration = { path: command, ...state.configuration };
  context = { subscriptions: [], memory: new Map() };
  context.workspaceState = { get: (k) => context.memory.get(k), update: async (k, v) => context.memory.set(k, v) };
  await activate(context);
}

beforeEach(async () => {
  await deactivate();
  editor.reset();
  state.folders = [{ uri: editor.vscode.Uri.file(dir), name: 'w' }];
});

const client = () => editor.LanguageClient.made.at(-1);
const file = path.join(dir, 'k.ptx');
fs.writeFileSync(file, module1);

test('the server starts for PTX, with the settings', async () => {
  state.configuration = { arch: 'sm_90a', judge: 'manual', hints: false };
  await open(editor.document(file, 'ptx', module1));
  assert.equal(editor.LanguageClient.made.length, 1);
  assert.deepEqual(client().server, { command, args: ['lsp'] });
  assert.deepEqual(client().options.initializationOptions, { arch: 'sm_90a', judge: 'manual', compileOnly: false, inline: true, hints: false, lenses: true, recording: '' });
  assert.deepEqual(client().options.documentSelector.map((s) => s.language), ['ptx', 'ptx', 'python']);
});

test('the server starts for no source without assembly', async () => {
  await open(editor.document('/a.py', 'python', 'print(1)'), editor.document('/a.cu', 'cuda-cpp', 'asm("ret;");'));
  assert.equal(editor.LanguageClient.made.length, 0);
  const source = editor.document('/b.py', 'python', 'tl.inline_asm_elementwise("mov.u32 $0, 1;", "=r")');
  state.documents.push(source);
  await seen.registered['on open'](source);
  assert.equal(editor.LanguageClient.made.length, 1);
});

test('the server starts for C++ if it shall', async () => {
  state.configuration = { inlineAssembly: 'all' };
  await open(editor.document('/a.cu', 'cuda-cpp', 'asm("ret;");'));
  assert.deepEqual(client().options.documentSelector.map((s) => s.language), ['ptx', 'ptx', 'python', 'c', 'cpp', 'cuda-cpp']);
  await deactivate();
  editor.LanguageClient.made = [];
  state.configuration = { inlineAssembly: 'off' };
  await open(editor.document('/b.py', 'python', 'inline_asm("ret;")'));
  assert.equal(editor.LanguageClient.made.length, 0);
});

test('PreTeXt is given back', async () => {
  await open(editor.document('/book.ptx', 'ptx', '\n<?xml version="1.0"?>\n<pretext/>'));
  assert.deepEqual(seen.languages, [['/book.ptx', 'xml']]);
  assert.equal(editor.LanguageClient.made.length, 0);
  state.languages.push('pretext');
  await open(editor.document('/book.ptx', 'ptx', '<pretext/>'));
  assert.deepEqual(seen.languages[1], ['/book.ptx', 'pretext']);
});

test('who has no ptxvm is told so, once', async () => {
  state.configuration = { path: path.join(dir, 'none') };
  answers.error = 'Say Where It Is';
  await open(editor.document(file, 'ptx', module1));
  await seen.registered['on open'](editor.document(file, 'ptx', module1));
  assert.equal(seen.errors.length, 1);
  assert.match(seen.errors[0], /none: there is no such command/);
  assert.ok(seen.commands.some((words) => words[1] === 'ptxvm.path'));
  state.configuration = { path: command };
  await seen.registered['on configuration']({ affectsConfiguration: (key) => key === 'ptxvm' || key === 'ptxvm.path' });
  assert.equal(editor.LanguageClient.made.length, 1);
});

test('a changed setting is told to the server; another path needs another one', async () => {
  await open(editor.document(file, 'ptx', module1));
  const first = client();
  state.configuration.lenses = false;
  await seen.registered['on configuration']({ affectsConfiguration: (key) => key === 'ptxvm' });
  assert.deepEqual(first.sent.map(([method, p]) => [method, p.settings.ptxvm.lenses]), [['workspace/didChangeConfiguration', false]]);
  await seen.registered['on configuration']({ affectsConfiguration: (key) => key === 'ptxvm' || key === 'ptxvm.path' });
  assert.equal(first.started, false);
  assert.equal(client().started, true);
});

/** Does what the lens above a kernel does. */
const lens = (verb) => client().options.middleware.executeCommand(`ptxvm.${verb}`, ['file://' + file, 'k'], () => assert.fail('asked the server'));

test('the lens runs a kernel with what is proposed, and keeps what was typed', async () => {
  await open(editor.document(file, 'ptx', module1));
  answers.input = true;
  await lens('run');
  assert.equal(seen.options[0].value, '--grid 1 --block 32 --arg inout:f32x32=0');
  const task = seen.tasks[0];
  assert.equal(task.execution.process, command);
  assert.deepEqual(task.execution.args, ['run', file, '--kernel', 'k', '--grid', '1', '--block', '32', '--arg', 'inout:f32x32=0']);
  assert.deepEqual(task.problemMatchers, ['$ptxvm', '$ptxvm-remark']);
  answers.input = "--block 8 --arg 'in:f32x8=iota'";
  await lens('run');
  answers.input = undefined; // Escape
  await lens('run');
  assert.equal(seen.options[2].value, "--block 8 --arg 'in:f32x8=iota'");
  assert.equal(seen.tasks.length, 2);
});

test('the lens debugs a kernel', async () => {
  await open(editor.document(file, 'ptx', module1));
  answers.input = '--block 4';
  await lens('debug');
  assert.deepEqual(seen.sessions, [{ type: 'ptxvm', request: 'launch', name: 'k', program: file, args: ['--kernel', 'k', '--block', '4'], stopOnEntry: true }]);
});

test('other commands of the server are the server\'s', async () => {
  await open(editor.document(file, 'ptx', module1));
  assert.equal(client().options.middleware.executeCommand('ptxvm.compiled', [1], (c, a) => `${c} ${a}`), 'ptxvm.compiled 1');
});

test('a module that is not saved is not run', async () => {
  const dirty = { ...editor.document(file, 'ptx', module1), isDirty: true, save: async () => false };
  await open(dirty);
  await lens('run');
  assert.equal(seen.tasks.length, 0);
  assert.match(seen.informations[0], /saved first/);
});

test('the command of the palette asks which kernel', async () => {
  const two = editor.document(file, 'ptx', '.entry a() { ret; }\n.entry b(.param .u64 x) .maxntid 3 { ret; }');
  await open(two);
  state.editor = { document: two };
  Object.assign(answers, { pick: 1, input: '' });
  await seen.registered['command ptxvm.runKernel']();
  assert.deepEqual(seen.tasks[0].execution.args, ['run', file, '--kernel', 'b']);
});

test('a line shows what it was compiled to', async () => {
  await open(editor.document(file, 'ptx', module1));
  state.editor = { document: editor.document('/k.cu', 'cuda-cpp', ''), selection: { active: { line: 4 } } };
  await seen.registered['command ptxvm.showCompiled']();
  assert.deepEqual(client().sent[0][1].arguments, ['file://' + file, '/k.cu', 5]);
  assert.equal(seen.commands.at(-1)[3].length, 1);
});

const provider = () => seen.registered['configurations ptxvm'];

test('a launch without launch.json is the kernel of the editor', async () => {
  const document = editor.document(file, 'ptx', module1);
  await open(document);
  state.editor = { document };
  answers.input = '--block 2';
  const c = await provider().resolveDebugConfiguration(undefined, {});
  assert.deepEqual(c.args, ['--kernel', 'k', '--block', '2']);
  const same = { type: 'ptxvm', request: 'launch', name: 'x', program: 'y' };
  assert.equal(await provider().resolveDebugConfiguration(undefined, same), same);
});

test('a CUDA program is captured, and its launch opened', async () => {
  await open();
  const c = { type: 'ptxvm', request: 'launch', name: 'p', command: ['./program', 'a b'], launch: 'K:2', execArgs: [], moment: 7 };
  const resolved = await provider().resolveDebugConfigurationWithSubstitutedVariables(state.folders[0], c);
  assert.equal(resolved.moment, 7);
  assert.equal(resolved.cwd, dir);
  assert.equal(resolved.command ?? resolved.launch ?? resolved.execArgs, undefined);
  assert.equal(fs.readFileSync(path.join(resolved.program, 'launch.txt'), 'utf8'), `exec --capture K:2 ${resolved.program} ./program a b\n`);
  context.subscriptions[0].dispose();
  assert.equal(fs.existsSync(resolved.program), false);
});

test('a program without a launch is an error that says why', async () => {
  await open();
  const resolved = await provider().resolveDebugConfigurationWithSubstitutedVariables(undefined, { type: 'ptxvm', request: 'launch', name: 'p', command: ['broken'], cwd: dir });
  assert.equal(resolved, undefined);
  assert.match(seen.errors[0], /No launch of broken was captured: there is no broken/);
});

test('values are those of registers', async () => {
  await open();
  const lines = ['mov.u32 %r9, 1;', 'add.u32 %r2, %tid.x, %r2; // %r3', 'ret;'];
  const document = { lineAt: (n) => ({ text: lines[n] }) };
  const pointed = (line, character) => ({ ...seen.registered['pointed ptx'].provideEvaluatableExpression(document, { line, character }) });
  assert.deepEqual(pointed(1, 15), { at: [1, 13, 1, 19], expression: '%tid.x' });
  assert.deepEqual(pointed(1, 28), {});
  const stopped = { stoppedLocation: { end: { line: 1 } } };
  const values = seen.registered['values ptx'].provideInlineValues(document, { start: { line: 0 }, end: { line: 2 } }, stopped);
  assert.deepEqual(values.map((v) => [v.at[0], v.expression]), [[0, '%r9'], [1, '%r2'], [1, '%tid.x']]);
});

test('the adapter is the command', async () => {
  await open();
  const made = seen.registered['adapters ptxvm'].createDebugAdapterDescriptor({ configuration: { cwd: '/w' } });
  assert.deepEqual({ ...made }, { command, args: ['debug', '--dap'], options: { cwd: '/w' } });
});

test('all modules of a folder are checked by a task', async () => {
  await open();
  const tasks = seen.registered['tasks ptxvm'];
  const [all] = tasks.provideTasks();
  assert.deepEqual(all.execution.args, ['check', './...']);
  assert.equal(all.group, 'build');
  const own = tasks.resolveTask({ definition: { type: 'ptxvm', verb: 'check', files: ['a.ptx'], args: ['--werror'] }, name: 'mine', scope: state.folders[0] });
  assert.deepEqual(own.execution.args, ['check', 'a.ptx', '--werror']);
  assert.deepEqual(own.execution.options, { cwd: dir });
});

'use strict';
// Within Visual Studio Code: what a user sees of the extension.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const vscode = require('vscode');

const folder = () => vscode.workspace.workspaceFolders[0].uri;
const file = (name) => vscode.Uri.joinPath(folder(), name);

/** Waits until something is true, and returns it. */
async function until(what, check, seconds = 30) {
  for (const end = Date.now() + 1000 * seconds; Date.now() < end;) {
    const value = await check();
    if (value) return value;
    await new Promise((r) => setTimeout(r, 50));
  }
  throw new Error(`${what} has not come in ${seconds} s`);
}

const show = async (name) => vscode.window.showTextDocument(await vscode.workspace.openTextDocument(file(name)));
const ask = (command, ...args) => vscode.commands.executeCommand(command, ...args);
const ours = (uri) => vscode.languages.getDiagnostics(uri).filter((d) => d.source === 'ptxvm');

/** The place behind a text. */
function behind(document, text) {
  const at = document.getText().indexOf(text);
  assert.ok(at >= 0, text);
  return document.positionAt(at + text.length);
}

const tests = {
  async 'a mistake has a diagnostic, and its fix takes it away'() {
    const { document } = await show('k.ptx');
    assert.equal(document.languageId, 'ptx');
    const [d] = await until('the diagnostic', () => ours(document.uri).length === 1 && ours(document.uri));
    assert.equal(d.range.start.line, 10);
    assert.match(d.message, /\.u33 is not allowed in add\.u33; want \.u32/);
    const actions = await ask('vscode.executeCodeActionProvider', document.uri, d.range);
    const fix = actions.find((a) => a.title === 'write .u32');
    assert.ok(await vscode.workspace.applyEdit(fix.edit));
    await until('the end of the diagnostic', () => ours(document.uri).length === 0);
    assert.match(document.lineAt(10).text, /add\.u32/);
    assert.ok(await document.save());
  },
  async 'hover explains'() {
    const { document } = await show('k.ptx');
    const [hover] = await ask('vscode.executeHoverProvider', document.uri, behind(document, 'mul.wide'));
    assert.match(hover.contents.map((c) => c.value).join(), /Integer multiplication[^]*9\.7\.1\.3/);
  },
  async 'completion offers what fits'() {
    const { document } = await show('k.ptx');
    const list = await ask('vscode.executeCompletionItemProvider', document.uri, behind(document, 'st.global.'), '.');
    assert.ok(list.items.some((i) => i.label === '.u32' || i.label.label === '.u32'), JSON.stringify(list.items.slice(0, 5)));
  },
  async 'a range of registers is renamed'() {
    const { document } = await show('k.ptx');
    const edit = await ask('vscode.executeDocumentRenameProvider', document.uri, behind(document, 'mov.u32 %r'), '%index');
    assert.ok(await vscode.workspace.applyEdit(edit));
    assert.match(document.getText(), /\.reg \.b32 %index<5>;[^]*mov\.u32 %index1, %tid\.x;[^]*st\.global\.u32 \[%rd3\], %index2;/);
    await ask('undo');
    await until('the old names', () => document.getText().includes('%r<5>'));
    await document.save();
  },
  async 'lenses stand above kernels'() {
    const { document } = await show('k.ptx');
    const lenses = await ask('vscode.executeCodeLensProvider', document.uri, 10);
    assert.deepEqual(lenses.map((l) => l.command?.title), ['run', 'debug']);
    assert.deepEqual(lenses.map((l) => l.command?.command), ['ptxvm.run', 'ptxvm.debug']);
  },
  async 'words have colours of the server'() {
    const { document } = await show('k.ptx');
    const tokens = await ask('vscode.provideDocumentSemanticTokens', document.uri);
    assert.ok(tokens.data.length > 100);
  },
  async 'the layout is that of fmt'() {
    const { document } = await show('k.ptx');
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, behind(document, 'mov.u32'), '      ');
    await vscode.workspace.applyEdit(edit);
    const edits = await ask('vscode.executeFormatDocumentProvider', document.uri, { tabSize: 8, insertSpaces: false });
    assert.equal(edits.length, 1);
    await ask('undo');
    await document.save();
  },
  async 'PreTeXt is XML'() {
    await show('book.ptx');
    await until('the language', () => vscode.window.activeTextEditor?.document.languageId === 'xml');
  },
  async 'assembly in Python is judged where it stands'() {
    const { document } = await show('kernel.py');
    const [d] = await until('the diagnostic', () => ours(document.uri).length > 0 && ours(document.uri));
    assert.equal(document.getText(d.range), '.u33');
  },
  async 'a kernel is debugged, forwards and back'() {
    const { document } = await show('k.ptx');
    const stopped = [];
    const tracker = vscode.debug.registerDebugAdapterTrackerFactory('ptxvm', {
      createDebugAdapterTracker: () => ({ onDidSendMessage: (m) => { if (m.event === 'stopped' || m.event === 'terminated') stopped.push(m); } }),
    });
    const line = 11;
    vscode.debug.addBreakpoints([new vscode.SourceBreakpoint(new vscode.Location(document.uri, new vscode.Position(line, 0)))]);
    const flags = ['--block', '32', '--arg', 'out:u32x32'];
    assert.ok(await vscode.debug.startDebugging(vscode.workspace.workspaceFolders[0], { type: 'ptxvm', request: 'launch', name: 'k', program: document.uri.fsPath, args: flags }));
    await until('the breakpoint', () => stopped.length === 1);
    const session = vscode.debug.activeDebugSession;
    const where = async () => {
      const { threads } = await session.customRequest('threads');
      const { stackFrames: [frame] } = await session.customRequest('stackTrace', { threadId: threads[0].id });
      return { frame, threadId: threads[0].id };
    };
    const at = await where();
    assert.equal(at.frame.line, line + 1);
    const value = await session.customRequest('evaluate', { expression: '%r2', frameId: at.frame.id, context: 'watch' });
    assert.match(value.result, /^1\b/);
    await session.customRequest('stepBack', { threadId: at.threadId });
    await until('the step back', () => stopped.length === 2);
    assert.equal((await where()).frame.line, line);
    await vscode.debug.stopDebugging(session);
    vscode.debug.removeBreakpoints(vscode.debug.breakpoints);
    tracker.dispose();
  },
  async 'a captured launch is debugged'() {
    const words = ['run', file('k.ptx').fsPath, '--block', '32', '--arg', 'out:u32x32', '--capture', path.join(folder().fsPath, 'capture')];
    require('node:child_process').execFileSync(vscode.workspace.getConfiguration('ptxvm').get('path'), words);
    assert.ok(await vscode.debug.startDebugging(vscode.workspace.workspaceFolders[0], { type: 'ptxvm', request: 'launch', name: 'capture', program: '${workspaceFolder}/capture', stopOnEntry: true }));
    const session = await until('the session', () => vscode.debug.activeDebugSession);
    const { threads } = await until('a warp', async () => { const t = await session.customRequest('threads'); return t.threads.length > 0 && t; });
    assert.ok(threads.length > 0);
    await vscode.debug.stopDebugging(session);
  },
  async 'what a task prints is a problem'() {
    fs.writeFileSync(file('bad.ptx').fsPath, '.version 8.0\n.target sm_80\n.entry k() { add.u33; ret; }\n');
    const [task] = await vscode.tasks.fetchTasks({ type: 'ptxvm' });
    assert.equal(task.name, 'check all modules');
    const ended = new Promise((resolve) => vscode.tasks.onDidEndTaskProcess((e) => resolve(e.exitCode)));
    await vscode.tasks.executeTask(task);
    assert.equal(await ended, 1);
    const [d] = await until('the problem', () => ours(file('bad.ptx')).length > 0 && ours(file('bad.ptx')));
    assert.equal(d.range.start.line, 2);
    assert.equal(d.code, 'P3002');
  },
};

exports.activate = () => void run();

async function run() {
  const lines = [];
  let failed = 0;
  for (const [name, test] of Object.entries(tests)) {
    try {
      await test();
      lines.push(`ok ${name}`);
    } catch (error) {
      failed++;
      lines.push(`not ok ${name}: ${error.stack}`);
    }
  }
  lines.push(`${Object.keys(tests).length - failed} passed, ${failed} failed, in ${vscode.env.appName} ${vscode.version}`, '');
  fs.writeFileSync(process.env.PTXVM_HOST_RESULT + '.new', lines.join('\n'));
  fs.renameSync(process.env.PTXVM_HOST_RESULT + '.new', process.env.PTXVM_HOST_RESULT);
}

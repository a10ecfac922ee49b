'use strict';
// The extension: what it registers, and when the server starts.

const vscode = require('vscode');
const { Adapters, Configurations } = require('./debug.js');
const { Kernels, Tasks } = require('./kernels.js');
const { Server } = require('./server.js');
const settings = require('./settings.js');
const { Behind, Pointed } = require('./values.js');

/** @type {Server | undefined} */
let server;

/** @param {vscode.ExtensionContext} context */
async function activate(context) {
  /** @type {Server} */
  const started = server = new Server({
    run: (uri, kernel) => kernels.runIt(uri, kernel),
    debug: (uri, kernel) => kernels.debugIt(uri, kernel),
  });
  /** @type {() => string} */
  const binary = () => started.binary;
  /** @type {Kernels} */
  const kernels = new Kernels(context, binary);
  const configurations = new Configurations(kernels, binary);
  context.subscriptions.push(
    configurations,
    vscode.debug.registerDebugConfigurationProvider('ptxvm', configurations),
    vscode.debug.registerDebugAdapterDescriptorFactory('ptxvm', new Adapters(binary)),
    vscode.languages.registerEvaluatableExpressionProvider('ptx', new Pointed()),
    vscode.languages.registerInlineValuesProvider('ptx', new Behind()),
    vscode.tasks.registerTaskProvider('ptxvm', new Tasks(binary)),
    vscode.workspace.onDidOpenTextDocument((document) => opened(started, document)),
    vscode.workspace.onDidChangeConfiguration((event) => started.configured(event)),
    ...commands(started, kernels),
  );
  await Promise.all(vscode.workspace.textDocuments.map((document) => opened(started, document)));
}

/** @param {Server} started @param {Kernels} kernels */
function commands(started, kernels) {
  const command = vscode.commands.registerCommand;
  const here = (/** @type {'runIt' | 'debugIt'} */ what) => async () => {
    const document = vscode.window.activeTextEditor?.document;
    const kernel = document && await kernels.pick(document);
    return document && kernel ? kernels[what](document.uri.toString(), kernel) : undefined;
  };
  return [
    command('ptxvm.runKernel', here('runIt')),
    command('ptxvm.debugKernel', here('debugIt')),
    command('ptxvm.debugCapture', debugCapture),
    command('ptxvm.showCompiled', () => showCompiled(started)),
    command('ptxvm.restart', () => started.restart()),
  ];
}

/** Takes a document: one of another language that ends in .ptx is given to that.
 * @param {Server} started @param {vscode.TextDocument} document */
async function opened(started, document) {
  if (document.languageId === 'ptx') {
    if (settings.isXML(document.getText())) {
      const known = await vscode.languages.getLanguages();
      await vscode.languages.setTextDocumentLanguage(document, known.includes('pretext') ? 'pretext' : 'xml');
      return;
    }
    await vscode.commands.executeCommand('setContext', 'ptxvm.moduleOpen', true);
  }
  await started.opened(document);
}

async function debugCapture() {
  const picked = await vscode.window.showOpenDialog({ canSelectFiles: false, canSelectFolders: true, canSelectMany: false, openLabel: 'Debug', title: 'Folder of a captured launch' });
  if (!picked) return;
  await vscode.debug.startDebugging(vscode.workspace.getWorkspaceFolder(picked[0]), { type: 'ptxvm', request: 'launch', name: 'captured launch', program: picked[0].fsPath, stopOnEntry: true });
}

/** Shows what the line of the cursor was compiled to, in the modules that are open.
 * @param {Server} started */
async function showCompiled(started) {
  const editor = vscode.window.activeTextEditor;
  if (!editor) return;
  const { document, selection: { active } } = editor;
  const modules = vscode.workspace.textDocuments.filter((d) => d.languageId === 'ptx');
  const places = (await Promise.all(modules.map((m) => started.compiled(m, document.fileName, active.line)))).flat();
  await vscode.commands.executeCommand('editor.action.goToLocations', document.uri, active, places, 'peek', 'No open module has code of this line: compile with -lineinfo, and open the .ptx.');
}

function deactivate() {
  return server?.stop();
}

module.exports = { activate, deactivate };

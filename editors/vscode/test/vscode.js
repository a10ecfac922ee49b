'use strict';
// What the extension sees of an editor, as far as it uses it: require('vscode') is this module.

const Module = require('node:module');

/** What was done to the editor since the last reset. */
const seen = { errors: [], informations: [], commands: [], registered: {}, tasks: [], sessions: [], languages: [], options: [] };

/** What the user answers. */
const answers = { input: undefined, pick: undefined, error: undefined, open: undefined };

const state = { configuration: {}, folders: [], documents: [], editor: undefined, languages: ['ptx', 'xml'] };

class Disposable {
  dispose() {}
}

class Uri {
  static parse(text) {
    return Object.assign(new Uri(), { text, fsPath: decodeURIComponent(text.replace(/^file:\/\//, '')) });
  }
  static file(path) {
    return Uri.parse('file://' + path);
  }
  toString() {
    return this.text;
  }
}

class ProcessExecution {
  constructor(process, args, options) {
    Object.assign(this, { process, args, options });
  }
}

class Task {
  constructor(definition, scope, name, source, execution, problemMatchers) {
    Object.assign(this, { definition, scope, name, source, execution, problemMatchers });
  }
}

class DebugAdapterExecutable {
  constructor(command, args, options) {
    Object.assign(this, { command, args, options });
  }
}

const registers = (kind) => (name, what) => {
  seen.registered[`${kind} ${name}`] = what;
  return new Disposable();
};

const vscode = {
  Uri, ProcessExecution, Task, DebugAdapterExecutable, Disposable,
  TaskScope: { Workspace: 2 }, TaskGroup: { Build: 'build' }, ProgressLocation: { Notification: 15 },
  workspace: {
    get workspaceFolders() { return state.folders; },
    get textDocuments() { return state.documents; },
    getConfiguration: () => ({ get: (key, otherwise) => state.configuration[key] ?? otherwise }),
    getWorkspaceFolder: () => state.folders[0],
    openTextDocument: async (uri) => state.documents.find((d) => d.uri.toString() === uri.toString()),
    onDidOpenTextDocument: registers('on').bind(null, 'open'),
    onDidChangeConfiguration: registers('on').bind(null, 'configuration'),
  },
  window: {
    get activeTextEditor() { return state.editor; },
    showErrorMessage: async (text) => { seen.errors.push(text); return answers.error; },
    showInformationMessage: async (text) => { seen.informations.push(text); },
    showInputBox: async (options) => { seen.options.push(options); return answers.input === true ? options.value : answers.input; },
    showQuickPick: async (list) => list[answers.pick],
    showOpenDialog: async () => answers.open,
    createOutputChannel: () => ({ append() {}, appendLine() {}, show() {}, dispose() {} }),
    withProgress: (_, what) => what({}, { onCancellationRequested() {} }),
  },
  Range: class { constructor(...at) { this.at = at; } },
  EvaluatableExpression: class { constructor(range, expression) { Object.assign(this, { at: range.at, expression }); } },
  languages: {
    registerEvaluatableExpressionProvider: registers('pointed'),
    registerInlineValuesProvider: registers('values'),
    getLanguages: async () => state.languages,
    setTextDocumentLanguage: async (document, language) => { seen.languages.push([document.fileName, language]); },
  },
  commands: {
    registerCommand: registers('command'),
    executeCommand: async (...words) => { seen.commands.push(words); },
  },
  debug: {
    registerDebugConfigurationProvider: registers('configurations'),
    registerDebugAdapterDescriptorFactory: registers('adapters'),
    startDebugging: async (folder, configuration) => { seen.sessions.push(configuration); return true; },
  },
  tasks: {
    registerTaskProvider: registers('tasks'),
    executeTask: async (task) => { seen.tasks.push(task); },
  },
};

/** A language client that starts nothing: what it was made with is kept. */
class LanguageClient {
  static made = [];
  constructor(id, name, server, options) {
    Object.assign(this, { id, name, server, options, state: 2, sent: [] });
    this.code2ProtocolConverter = { asUri: (uri) => uri.toString() };
    this.protocol2CodeConverter = { asLocation: (l) => l };
    LanguageClient.made.push(this);
  }
  async start() { this.started = true; }
  async dispose() { this.started = false; }
  async sendNotification(method, params) { this.sent.push([method, params]); }
  async sendRequest(method, params) { this.sent.push([method, params]); return [{ uri: params.arguments[0], line: params.arguments[2] }]; }
}

vscode.InlineValueEvaluatableExpression = vscode.EvaluatableExpression;
const mocks = { vscode, 'vscode-languageclient/node': { LanguageClient, State: { Running: 2 } } };
const load = Module._load;
Module._load = (name, ...rest) => mocks[name] ?? load(name, ...rest);

/** An open document. */
function document(name, languageId, text) {
  const uri = Uri.file(name);
  return { uri, fileName: name, languageId, isDirty: false, isUntitled: false, getText: () => text, save: async () => true };
}

function reset() {
  for (const key of Object.keys(seen)) seen[key] = key === 'registered' ? {} : [];
  Object.assign(answers, { input: undefined, pick: undefined, error: undefined, open: undefined });
  Object.assign(state, { configuration: {}, folders: [], documents: [], editor: undefined, languages: ['ptx', 'xml'] });
  LanguageClient.made = [];
}

module.exports = { LanguageClient, answers, document, reset, seen, state, vscode };

'use strict';
// The language server: when it is started, with what, and what its commands do in this editor.

const vscode = require('vscode');
const { LanguageClient, State } = require('vscode-languageclient/node');
const settings = require('./settings.js');
const { run } = require('./process.js');

/** @typedef {(uri: string, kernel: string) => unknown} OnKernel */

class Server {
  /**
   * @param {{ run: OnKernel, debug: OnKernel }} lenses what is done for the lenses above kernels
   */
  constructor(lenses) {
    this.lenses = lenses;
    /** @type {LanguageClient | undefined} */
    this.client = undefined;
    /** @type {Promise<void>} */
    this.turn = Promise.resolve();
    this.refused = false; // there is no command, and that has been said
  }

  get settings() {
    return vscode.workspace.getConfiguration('ptxvm');
  }

  get binary() {
    return settings.binary(this.settings, vscode.workspace.workspaceFolders?.[0]?.uri.fsPath);
  }

  /** Does one thing after the other: a start may be asked for while the server ends.
   * @param {() => Promise<void>} what */
  next(what) {
    this.turn = this.turn.then(what, what);
    return this.turn;
  }

  /** Starts the server for the first document that it is for.
   * @param {vscode.TextDocument} document */
  opened(document) {
    if (!settings.wanted(document, this.settings)) return this.turn;
    return this.next(async () => {
      if (this.client === undefined && !this.refused) await this.start();
    });
  }

  async start() {
    const file = this.binary;
    const version = await run(file, ['version'], { timeout: 20_000 });
    if (version.code !== 0) {
      this.refused = true;
      void this.missing(file, version.missing ? 'there is no such command' : version.err.trim());
      return;
    }
    this.client = new LanguageClient('ptxvm', 'PTX (ptxvm)', { command: file, args: ['lsp'] }, {
      documentSelector: settings.selector(this.settings),
      initializationOptions: settings.serverOptions(this.settings),
      middleware: { executeCommand: (command, args, next) => this.execute(command, args, next) },
    });
    await this.client.start();
    await vscode.commands.executeCommand('setContext', 'ptxvm.running', true);
  }

  /** @param {string} file @param {string} why */
  async missing(file, why) {
    const choice = await vscode.window.showErrorMessage(`ptxvm cannot be started as ${file}: ${why}`, 'Say Where It Is', 'How to Install');
    if (choice === 'Say Where It Is') await vscode.commands.executeCommand('workbench.action.openSettings', 'ptxvm.path');
    if (choice === 'How to Install') await vscode.commands.executeCommand('workbench.action.openWalkthrough', 'ptxvm.ptxvm#start', false);
  }

  async stop() {
    const client = this.client;
    this.client = undefined;
    this.refused = false;
    await client?.dispose();
  }

  restart() {
    return this.next(async () => {
      await this.stop();
      if (vscode.workspace.textDocuments.some((d) => settings.wanted(d, this.settings))) await this.start();
    });
  }

  /** Tells the server of settings; what it is started with needs another one.
   * @param {vscode.ConfigurationChangeEvent} event */
  async configured(event) {
    if (event.affectsConfiguration('ptxvm.path') || event.affectsConfiguration('ptxvm.inlineAssembly')) return this.restart();
    if (event.affectsConfiguration('ptxvm') && this.client?.state === State.Running) {
      await this.client.sendNotification('workspace/didChangeConfiguration', { settings: { ptxvm: settings.serverOptions(this.settings) } });
    }
  }

  /** The server's own commands show a command line; here there is a terminal, and a debugger.
   * @param {string} command @param {any[]} args @param {(command: string, args: any[]) => any} next */
  execute(command, args, next) {
    if (command === 'ptxvm.run') return this.lenses.run(args[0], args[1]);
    if (command === 'ptxvm.debug') return this.lenses.debug(args[0], args[1]);
    return next(command, args);
  }

  /** The places in an open module that come from a line of a source.
   * @param {vscode.TextDocument} module @param {string} file @param {number} line from 0
   * @returns {Promise<vscode.Location[]>} */
  async compiled(module, file, line) {
    const client = this.client;
    if (client === undefined) return [];
    const uri = client.code2ProtocolConverter.asUri(module.uri);
    const list = await client.sendRequest('workspace/executeCommand', { command: 'ptxvm.compiled', arguments: [uri, file, line + 1] });
    return /** @type {any[]} */ (list ?? []).map((l) => client.protocol2CodeConverter.asLocation(l));
  }
}

module.exports = { Server };

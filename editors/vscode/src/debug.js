'use strict';
// The debugger: ptxvm debug --dap, and what stands in launch.json.

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const vscode = require('vscode');
const launch = require('./launch.js');
const { quoted } = require('./words.js');
const { run } = require('./process.js');

/** @implements {vscode.DebugConfigurationProvider} */
class Configurations {
  /** @param {import('./kernels.js').Kernels} kernels @param {() => string} binary */
  constructor(kernels, binary) {
    this.kernels = kernels;
    this.binary = binary;
    /** @type {string[]} */
    this.folders = []; // of captured launches
    /** @type {vscode.OutputChannel | undefined} */
    this.output = undefined;
  }

  /** Without launch.json the kernel of the editor is meant.
   * @param {vscode.WorkspaceFolder | undefined} _folder @param {vscode.DebugConfiguration} configuration */
  async resolveDebugConfiguration(_folder, configuration) {
    if (configuration.type || configuration.request || configuration.name) return configuration;
    const document = vscode.window.activeTextEditor?.document;
    if (document?.languageId !== 'ptx') return undefined;
    const kernel = await this.kernels.pick(document);
    const file = kernel && await this.kernels.saved(document.uri.toString());
    const flags = kernel && file && await this.kernels.flags(file, kernel);
    return kernel && file && flags ? launch.ofKernel(file.fsPath, kernel, flags) : undefined;
  }

  /** A program is run here, and the launch that it leaves is debugged.
   * @param {vscode.WorkspaceFolder | undefined} folder @param {vscode.DebugConfiguration} configuration @param {vscode.CancellationToken} [token] */
  async resolveDebugConfigurationWithSubstitutedVariables(folder, configuration, token) {
    const wrong = launch.fault(configuration);
    if (wrong) {
      void vscode.window.showErrorMessage(wrong, { modal: true });
      return undefined;
    }
    /** @type {vscode.DebugConfiguration} */
    const c = { cwd: folder?.uri.fsPath, ...configuration };
    if (c.command === undefined) return c;
    const into = fs.mkdtempSync(path.join(os.tmpdir(), 'ptxvm-launch-'));
    this.folders.push(into);
    return await this.capture(c, path.join(into, 'capture'), token) ? launch.ofCapture(c, path.join(into, 'capture')) : undefined;
  }

  /** @param {vscode.DebugConfiguration} c @param {string} folder @param {vscode.CancellationToken} [token] */
  async capture(c, folder, token) {
    const words = launch.captureWords(c, folder);
    this.output ??= vscode.window.createOutputChannel('PTX: captured programs');
    this.output.appendLine(['ptxvm', ...words].map(quoted).join(' '));
    const print = (/** @type {string} */ text) => this.output?.append(text);
    const abort = new AbortController();
    token?.onCancellationRequested(() => abort.abort());
    const ended = await vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title: `Capturing a launch of ${c.command[0]}`, cancellable: true }, (_, asked) => {
      asked.onCancellationRequested(() => abort.abort());
      return run(this.binary(), words, { cwd: c.cwd, signal: abort.signal, print });
    });
    if (fs.existsSync(path.join(folder, 'launch.txt'))) return true; // also of a program that has failed: that is why it is looked at
    this.output.show(true);
    if (!abort.signal.aborted) {
      const last = ended.err.trim().split('\n').at(-1);
      void vscode.window.showErrorMessage(`No launch of ${c.command[0]} was captured${last ? `: ${last}` : ''}`);
    }
    return false;
  }

  dispose() {
    this.output?.dispose();
    for (const folder of this.folders) fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** @implements {vscode.DebugAdapterDescriptorFactory} */
class Adapters {
  /** @param {() => string} binary */
  constructor(binary) {
    this.binary = binary;
  }

  /** @param {vscode.DebugSession} session */
  createDebugAdapterDescriptor(session) {
    const cwd = session.configuration.cwd ?? session.workspaceFolder?.uri.fsPath;
    return new vscode.DebugAdapterExecutable(this.binary(), ['debug', '--dap'], cwd ? { cwd } : undefined);
  }
}

module.exports = { Adapters, Configurations };

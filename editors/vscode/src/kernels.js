'use strict';
// Kernels are run and debugged: which one, and with what, is asked for.

const path = require('node:path');
const vscode = require('vscode');
const { run } = require('./process.js');
const launch = require('./launch.js');
const words = require('./words.js');

class Kernels {
  /** @param {vscode.ExtensionContext} context @param {() => string} binary */
  constructor(context, binary) {
    this.context = context;
    this.binary = binary;
  }

  /** The kernel of a document that is meant.
   * @param {vscode.TextDocument} document */
  async pick(document) {
    const names = words.kernels(document.getText());
    if (names.length === 0) void vscode.window.showInformationMessage(`${path.basename(document.fileName)} defines no kernel.`);
    return names.length > 1 ? vscode.window.showQuickPick(names, { title: 'Kernel' }) : names[0];
  }

  /** The flags of a launch: those of the last time, or what ptxvm run proposes; undefined if there shall be none.
   * @param {vscode.Uri} uri @param {string} kernel */
  async flags(uri, kernel) {
    const key = `flags ${uri.toString()} ${kernel}`;
    const last = this.context.workspaceState.get(key);
    const value = typeof last === 'string' ? last : await this.propose(uri.fsPath, kernel);
    const line = await vscode.window.showInputBox({
      title: `Launch of ${kernel}`, value, ignoreFocusOut: true,
      prompt: 'Flags of ptxvm run: --grid, --block, an --arg for each parameter',
      validateInput: (text) => { try { words.split(text); return ''; } catch (e) { return e instanceof Error ? e.message : String(e); } },
    });
    if (line === undefined) return undefined;
    await this.context.workspaceState.update(key, line);
    return words.split(line);
  }

  /** What ptxvm run writes to who gives no arguments; a kernel that takes none ends after one step.
   * @param {string} file @param {string} kernel */
  async propose(file, kernel) {
    const ended = await run(this.binary(), ['run', file, '--kernel', kernel, '--max-steps', '1', '--quiet'], { timeout: 20_000 });
    return words.proposed(ended.err) ?? '--block 32';
  }

  /** @param {string} uri @param {string} kernel */
  async runIt(uri, kernel) {
    const file = await this.saved(uri);
    const flags = file && await this.flags(file, kernel);
    if (!file || !flags) return;
    const task = taskOf({ type: 'ptxvm', verb: 'run', files: [file.fsPath], args: ['--kernel', kernel, ...flags] }, this.binary(), `run ${kernel}`, vscode.workspace.getWorkspaceFolder(file));
    return vscode.tasks.executeTask(task);
  }

  /** @param {string} uri @param {string} kernel */
  async debugIt(uri, kernel) {
    const file = await this.saved(uri);
    const flags = file && await this.flags(file, kernel);
    if (!file || !flags) return;
    return vscode.debug.startDebugging(vscode.workspace.getWorkspaceFolder(file), launch.ofKernel(file.fsPath, kernel, flags));
  }

  /** What is run is what stands in the file.
   * @param {string} uri */
  async saved(uri) {
    const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(uri));
    if (document.isUntitled || document.isDirty && !await document.save()) {
      void vscode.window.showInformationMessage('The module has to be saved first.');
      return undefined;
    }
    return document.uri;
  }
}

/**
 * A task of ptxvm.
 * @param {vscode.TaskDefinition} definition @param {string} binary @param {string} name @param {vscode.WorkspaceFolder | undefined} folder
 */
function taskOf(definition, binary, name, folder) {
  const list = [definition.verb, ...(definition.files ?? []), ...(definition.args ?? [])];
  const execution = new vscode.ProcessExecution(binary, list, { cwd: folder?.uri.fsPath });
  return new vscode.Task(definition, folder ?? vscode.TaskScope.Workspace, name, 'ptxvm', execution, ['$ptxvm', '$ptxvm-remark']);
}

/** Tasks that need no tasks.json: all modules of each folder are checked.
 * @implements {vscode.TaskProvider} */
class Tasks {
  /** @param {() => string} binary */
  constructor(binary) {
    this.binary = binary;
  }

  provideTasks() {
    return (vscode.workspace.workspaceFolders ?? []).map((folder) => {
      const task = taskOf({ type: 'ptxvm', verb: 'check', files: ['./...'], args: [] }, this.binary(), 'check all modules', folder);
      task.group = vscode.TaskGroup.Build;
      return task;
    });
  }

  /** @param {vscode.Task} task */
  resolveTask(task) {
    const folder = typeof task.scope === 'object' ? task.scope : undefined;
    return taskOf(task.definition, this.binary(), task.name, folder);
  }
}

module.exports = { Kernels, Tasks };

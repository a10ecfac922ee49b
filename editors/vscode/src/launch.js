'use strict';
// What stands in launch.json: how it becomes what ptxvm debug --dap takes, and who serves it.

/** @typedef {import('vscode').DebugConfiguration} Configuration */

/** The fields of ours; the adapter knows nothing of them. @type {string[]} */
const ours = ['command', 'launch', 'execArgs'];

/**
 * What is wrong with a configuration, '' if nothing is.
 * @param {Configuration} c
 */
function fault(c) {
  const program = typeof c.program === 'string' && c.program !== '';
  const command = c.command !== undefined;
  if (program === command) return 'Say either "program", a PTX file or the folder of a captured launch, or "command", a CUDA program with its arguments.';
  if (command && !(Array.isArray(c.command) && c.command.length > 0 && c.command.every((/** @type {unknown} */ w) => typeof w === 'string'))) {
    return '"command" is a list of words: ["./program", "argument"].';
  }
  if (!command && (c.launch !== undefined || c.execArgs !== undefined)) return '"launch" and "execArgs" are about "command".';
  return '';
}

/**
 * The words behind ptxvm that capture a launch of a program in a folder.
 * @param {Configuration} c with a command
 * @param {string} folder
 * @returns {string[]}
 */
function captureWords(c, folder) {
  return ['exec', ...(c.execArgs ?? []), '--capture', ...(c.launch ? [c.launch] : []), folder, ...c.command];
}

/**
 * The configuration of the launch that a program left in a folder.
 * @param {Configuration} c
 * @param {string} folder
 * @returns {Configuration}
 */
function ofCapture(c, folder) {
  /** @type {Configuration} */
  const rest = { ...c, program: folder };
  for (const key of ours) delete rest[key];
  return rest;
}

/**
 * The configuration of a kernel of a file.
 * @param {string} file
 * @param {string} kernel
 * @param {string[]} flags
 * @returns {Configuration}
 */
function ofKernel(file, kernel, flags) {
  return { type: 'ptxvm', request: 'launch', name: kernel, program: file, args: ['--kernel', kernel, ...flags], stopOnEntry: true };
}

module.exports = { captureWords, fault, ofCapture, ofKernel };

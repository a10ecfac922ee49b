'use strict';
// What settings come to: the binary, the options of the server, the documents that it is asked about.

const path = require('node:path');
const os = require('node:os');

/** @typedef {{ get<T>(key: string, otherwise: T): T }} Settings those under ptxvm */

/** Languages whose inline assembly is looked at. */
const inlineLanguages = { off: [], python: ['python'], all: ['python', 'c', 'cpp', 'cuda-cpp'] };

/**
 * The languages beside PTX itself in which the server is asked.
 * @param {Settings} settings
 * @returns {string[]}
 */
function inline(settings) {
  const where = /** @type {string} */ (settings.get('inlineAssembly', 'python'));
  return where === 'all' ? inlineLanguages.all : where === 'off' ? inlineLanguages.off : inlineLanguages.python;
}

/**
 * Which documents the server is asked about.
 * @param {Settings} settings
 */
function selector(settings) {
  return ['ptx', ...inline(settings)].flatMap((language) => [
    { language, scheme: 'file' }, ...(language === 'ptx' ? [{ language, scheme: 'untitled' }] : []),
  ]);
}

/**
 * The settings as the server reads them (docs/lsp.md).
 * @param {Settings} settings
 */
function serverOptions(settings) {
  return {
    arch: settings.get('arch', ''),
    judge: settings.get('judge', 'ptxas'),
    compileOnly: settings.get('compileOnly', false),
    inline: inline(settings).length > 0,
    hints: settings.get('hints', true),
    lenses: settings.get('lenses', true),
    recording: settings.get('recording', ''),
  };
}

/**
 * The command to start. What has no separator is looked for on the PATH by the system.
 * @param {Settings} settings
 * @param {string | undefined} folder that is open
 */
function binary(settings, folder) {
  let file = settings.get('path', 'ptxvm').trim() || 'ptxvm';
  file = file.replaceAll('${workspaceFolder}', folder ?? '.').replace(/^~(?=[/\\])/, os.homedir());
  if (!/[/\\]/.test(file) || path.isAbsolute(file)) return file;
  return path.resolve(folder ?? '.', file);
}

/**
 * Whether a source is worth a server: PTX always, another one if it has assembly.
 * @param {{ languageId: string, getText(): string }} document
 * @param {Settings} settings
 */
function wanted(document, settings) {
  if (document.languageId === 'ptx') return true;
  if (!inline(settings).includes(document.languageId)) return false;
  const word = document.languageId === 'python' ? /\b(inline_asm_elementwise|InlineAsm|inline_asm)\s*\(/ : /\basm\b/;
  return word.test(document.getText());
}

/**
 * Whether a file that ends in .ptx is another's: PreTeXt is XML.
 * @param {string} text
 */
function isXML(text) {
  return /^\uFEFF?\s*</.test(text);
}

module.exports = { binary, inline, isXML, selector, serverOptions, wanted };

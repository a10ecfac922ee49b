'use strict';
// Runs the command.

const { spawn } = require('node:child_process');

/** @typedef {{ code: number | null, out: string, err: string, missing: boolean }} Ended */

/** The most of each stream that is kept. */
const kept = 1 << 20;

/**
 * Runs a command to its end. missing: there is no such file.
 * @param {string} file
 * @param {string[]} words
 * @param {{ cwd?: string, timeout?: number, signal?: AbortSignal, print?: (text: string) => void }} [options]
 * @returns {Promise<Ended>}
 */
function run(file, words, options = {}) {
  return new Promise((resolve) => {
    const ended = { code: /** @type {number | null} */ (null), out: '', err: '', missing: false };
    const child = spawn(file, words, { cwd: options.cwd, timeout: options.timeout, signal: options.signal, stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.setEncoding('utf8').on('data', (text) => {
      ended.out = (ended.out + text).slice(-kept);
      options.print?.(text);
    });
    child.stderr.setEncoding('utf8').on('data', (text) => {
      ended.err = (ended.err + text).slice(-kept);
      options.print?.(text);
    });
    child.on('error', (error) => {
      const missing = 'code' in error && error.code === 'ENOENT';
      resolve({ ...ended, err: ended.err || error.message, missing });
    });
    child.on('close', (code) => resolve({ ...ended, code }));
  });
}

module.exports = { run };

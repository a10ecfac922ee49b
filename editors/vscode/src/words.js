'use strict';
// Command lines as people type them.

/**
 * The words of a line, with the quotes of a POSIX shell.
 * @param {string} line
 * @returns {string[]}
 */
function split(line) {
  const words = [];
  let word = '';
  let open = false;
  let quote = '';
  for (let i = 0; i < line.length; i++) {
    const c = line[i];
    if (quote) {
      if (c === quote) quote = '';
      else if (c === '\\' && quote === '"' && '"\\$`'.includes(line[i + 1] ?? '')) word += line[++i];
      else word += c;
    } else if (c === '"' || c === "'") {
      quote = c;
      open = true;
    } else if (c === '\\' && i + 1 < line.length) {
      word += line[++i];
      open = true;
    } else if (/\s/.test(c)) {
      if (open || word) words.push(word);
      word = '';
      open = false;
    } else word += c;
  }
  if (quote) throw new Error(`a ${quote} is not closed`);
  if (open || word) words.push(word);
  return words;
}

/**
 * A word with quotes where a shell needs them.
 * @param {string} word
 */
function quoted(word) {
  return /^[A-Za-z0-9_\-./:=,@%+]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/**
 * The flags behind the kernel's name in the last command line of a message: what ptxvm run proposes to who gave no arguments.
 * @param {string} message
 * @returns {string | undefined}
 */
function proposed(message) {
  const line = message.trimEnd().split('\n').findLast((l) => l.startsWith('ptxvm run '));
  const at = line?.indexOf(' --kernel ') ?? -1;
  return line === undefined || at < 0 ? undefined : split(line.slice(at)).slice(2).map(quoted).join(' ');
}

/**
 * The names of the kernels that a module defines, in its order.
 * @param {string} text
 * @returns {string[]}
 */
function kernels(text) {
  const bare = text.replace(/\/\*[^]*?\*\/|\/\/[^\n]*|"[^"\n]*"/g, ' ');
  const names = [...bare.matchAll(/\.entry\s+([A-Za-z_$%][\w$]*)\s*(?:\([^)]*\))?[^;{]*([;{])/g)];
  return names.filter((m) => m[2] === '{').map((m) => m[1]);
}

/**
 * The registers in a line of PTX, and where they begin; comments have none.
 * @param {string} line
 * @returns {{ name: string, start: number }[]}
 */
function registers(line) {
  const code = line.replace(/\/\/.*$/, '').replace(/\/\*.*?\*\/|"[^"]*"/g, (m) => ' '.repeat(m.length));
  return [...code.matchAll(/%[A-Za-z_$0-9]+(?:\.[xyzw]\b)?/g)].map((m) => ({ name: m[0], start: m.index }));
}

module.exports = { kernels, proposed, quoted, registers, split };

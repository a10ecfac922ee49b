'use strict';
// What is computed without an editor.

const assert = require('node:assert/strict');
const os = require('node:os');
const path = require('node:path');
const { test } = require('node:test');
const settings = require('../src/settings.js');
const words = require('../src/words.js');
const launch = require('../src/launch.js');
const { run } = require('../src/process.js');

const of = (values) => ({ get: (key, otherwise) => values[key] ?? otherwise });

test('words of a line', () => {
  for (const [line, want] of [
    ['', []], ['  a  b ', ['a', 'b']], ["'a b' c", ['a b', 'c']], ['"a \\" $x" \'\'', ['a " $x', '']],
    ['a\\ b', ['a b']], ["x'y'z", ['xyz']], ['"\\n"', ['\\n']],
  ]) assert.deepEqual(words.split(line), want, line);
  assert.throws(() => words.split("'a"), /not closed/);
  for (const word of ['a b', "it's", '', '$x', 'in:f32x32=iota']) assert.deepEqual(words.split(words.quoted(word)), [word]);
});

test('what is proposed', () => {
  assert.equal(words.proposed("k takes 2 arguments\nptxvm run 'a b.ptx' --kernel k --grid 1 --arg u32:0\n"), '--grid 1 --arg u32:0');
  assert.equal(words.proposed('ptxvm: no such file'), undefined);
});

test('kernels of a text', () => {
  const text = `// .entry no() {
.visible .entry a(.param .u64 p)
.maxntid 3 { ret; }
/* .entry nor() { */ .extern .entry declared();
.weak .entry $b { ret; } .entry _Z1fPf(){}`;
  assert.deepEqual(words.kernels(text), ['a', '$b', '_Z1fPf']);
  assert.deepEqual(words.kernels(''), []);
});

test('the command', () => {
  assert.equal(settings.binary(of({}), '/w'), 'ptxvm');
  assert.equal(settings.binary(of({ path: ' ' }), '/w'), 'ptxvm');
  assert.equal(settings.binary(of({ path: '${workspaceFolder}/bin/ptxvm' }), '/w'), '/w/bin/ptxvm');
  assert.equal(settings.binary(of({ path: './ptxvm' }), '/w'), path.resolve('/w', 'ptxvm'));
  assert.equal(settings.binary(of({ path: '~/ptxvm' }), '/w'), path.join(os.homedir(), 'ptxvm'));
});

test('what is no module of PTX', () => {
  for (const text of ['<pretext>', '\uFEFF<?xml?>', ' \n\t<a/>']) assert.equal(settings.isXML(text), true, text);
  for (const text of ['', '.version 8.0', '// <a>\n.version 8.0']) assert.equal(settings.isXML(text), false, text);
});

test('what is wrong with a launch', () => {
  const c = { type: 'ptxvm', request: 'launch', name: 'x' };
  for (const [extra, says] of [
    [{}, /either/], [{ program: 'a', command: ['b'] }, /either/], [{ command: [] }, /list of words/], [{ command: 'a b' }, /list of words/],
    [{ program: 'a', launch: 'k' }, /about "command"/], [{ program: 'a' }, /^$/], [{ command: ['a'], launch: 'k:1' }, /^$/],
  ]) assert.match(launch.fault({ ...c, ...extra }), says);
  assert.deepEqual(launch.captureWords({ ...c, command: ['p', '-x'], execArgs: ['--arch', 'sm_90'] }, '/d'), ['exec', '--arch', 'sm_90', '--capture', '/d', 'p', '-x']);
});

test('a command that ends, fails, is not there, or is too slow', async () => {
  const node = process.execPath;
  assert.deepEqual(await run(node, ['-e', 'console.log(1); console.error(2); process.exit(3)']), { code: 3, out: '1\n', err: '2\n', missing: false });
  assert.equal((await run('/no/such', [])).missing, true);
  assert.equal((await run(node, ['-e', 'setTimeout(() => {}, 60000)'], { timeout: 50 })).code, null);
  assert.equal((await run(node, ['-e', 'process.stdout.write("y".repeat(3 << 20))'])).out.length, 1 << 20);
});

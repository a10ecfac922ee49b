// Runs suite.js within Visual Studio Code: code-server (npm), which is its server, with the packaged extension, and a browser without
// a screen.
//
//   CODE_SERVER=…/node_modules/code-server NODE=…/bin/node CHROMIUM=chromium PTXVM=…/ptxvm VSIX=…/ptxvm.vsix npm run host
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';

const here = import.meta.dirname;
const need = (name) => process.env[name] ?? (console.error(`${name} is not set: see the head of run.mjs`), process.exit(2));
const [code, node, chromium, ptxvm, vsix] = ['CODE_SERVER', 'NODE', 'CHROMIUM', 'PTXVM', 'VSIX'].map(need);
const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'ptxvm-host-'));
const workspace = path.join(dir, 'workspace');
const result = path.join(dir, 'result.txt');
const entry = path.join(code, 'out/node/entry.js');
const dirs = ['--user-data-dir', path.join(dir, 'user'), '--extensions-dir', path.join(dir, 'extensions')];

fs.cpSync(path.join(here, 'workspace'), workspace, { recursive: true });
for (const name of ['User', 'Machine']) fs.mkdirSync(path.join(dir, 'user', name), { recursive: true });
fs.writeFileSync(path.join(dir, 'user/Machine/settings.json'), JSON.stringify({ 'ptxvm.path': ptxvm })); // the machine's, since it is on a server
fs.writeFileSync(path.join(dir, 'user/User/settings.json'), JSON.stringify({
  'security.workspace.trust.enabled': false, 'workbench.startupEditor': 'none', 'telemetry.telemetryLevel': 'off', 'chat.disableAIFeatures': true,
}));

/** Runs a command to its end, which is the end of everything if it fails. */
function must(file, words, options) {
  const ended = spawnSync(file, words, { encoding: 'utf8', ...options });
  if (ended.status === 0) return;
  console.error(`${file} ${words.join(' ')}\n${ended.stdout}${ended.stderr}`);
  process.exit(1);
}

// The suite is an extension as well: VS Code's own runner of tests is closed in servers that are built.
const suite = path.join(dir, 'suite.vsix');
must(process.execPath, [path.join(here, '../../node_modules/@vscode/vsce/vsce'), 'package', '--skip-license', '--allow-missing-repository', '-o', suite], { cwd: here });
for (const file of [vsix, suite]) must(node, [entry, ...dirs, '--install-extension', file]);

const port = await new Promise((resolve) => {
  const probe = net.createServer().listen(0, '127.0.0.1', () => {
    const { port } = probe.address();
    probe.close(() => resolve(port));
  });
});
const env = { ...process.env, PTXVM_HOST_RESULT: result };
const server = spawn(node, [entry, ...dirs, '--auth', 'none', '--bind-addr', `127.0.0.1:${port}`, '--disable-telemetry', '--disable-update-check', '--disable-workspace-trust', workspace], { env, stdio: ['ignore', 'pipe', 'pipe'] });
let log = '';
for (const stream of [server.stdout, server.stderr]) stream.setEncoding('utf8').on('data', (text) => { log += text; });

const url = `http://127.0.0.1:${port}/?folder=${encodeURIComponent(workspace)}`;
for (let i = 0; i < 300 && !log.includes('HTTP server listening'); i++) await new Promise((r) => setTimeout(r, 100));
const browser = spawn(chromium, ['--headless=new', '--enable-logging=stderr', '--no-sandbox', '--disable-gpu', '--window-size=1600,1000', `--user-data-dir=${path.join(dir, 'browser')}`, '--remote-debugging-port=0', url], { stdio: ['ignore', 'ignore', 'pipe'] });
let seen = '';
browser.stderr.setEncoding('utf8').on('data', (text) => { seen = (seen + text).slice(-200_000); });

const until = Date.now() + 300_000;
while (Date.now() < until && !fs.existsSync(result)) await new Promise((r) => setTimeout(r, 200));
await new Promise((r) => setTimeout(r, 300));
browser.kill();
server.kill();
const text = fs.existsSync(result) ? fs.readFileSync(result, 'utf8') : `the editor has said nothing\n${log.slice(-4000)}\n${seen}`;
console.log(text);
await Promise.all([browser, server].map((p) => p.exitCode !== null || p.signalCode !== null ? undefined : new Promise((r) => p.on('exit', r))));
fs.rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
process.exit(/^\d+ passed, 0 failed/m.test(text) ? 0 : 1);

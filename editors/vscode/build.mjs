// Puts the extension and the client that it uses into one file, and the license beside it.
import { copyFileSync } from 'node:fs';
import { build } from 'esbuild';

await build({
  entryPoints: ['src/extension.js'], outfile: 'dist/extension.js', bundle: true, platform: 'node', target: 'node20', format: 'cjs',
  external: ['vscode'], minify: true, legalComments: 'eof', mainFields: ['module', 'main'],
});
copyFileSync('../../LICENSE', 'LICENSE');

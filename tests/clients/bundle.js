// Bundles the tests of one client with esbuild, as Vite does with a front end, and runs them: `node bundle.js apollo`.
// The rule: packages stay what npm installed, only the client's own sources are bundled.
import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { transformAsync } from '@babel/core';
import { build } from 'esbuild';

const client = process.argv[2];
const sources = join(client, 'src');
const bundles = join(client, 'build');

// Relay's `graphql` tags become imports of what relay-compiler made of them.
const relay = {
  name: 'relay',
  setup({ onLoad }) {
    onLoad({ filter: /\/relay\/src\/[^_].*\.tsx?$/ }, async ({ path }) => {
      const { code } = await transformAsync(await readFile(path, 'utf8'), {
        filename: path,
        configFile: false,
        parserOpts: { plugins: ['typescript', 'jsx'] },
        plugins: [['relay', { eagerEsModules: true }]],
      });
      return { contents: code, loader: 'tsx' };
    });
  },
};

rmSync(bundles, { recursive: true, force: true });
await build({
  entryPoints: readdirSync(sources).filter((name) => name.includes('.test.')).map((name) => join(sources, name)),
  outdir: bundles,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  platform: 'node',
  format: 'esm',
  jsx: 'automatic',
  packages: 'external',
  sourcemap: 'inline',
  logLevel: 'warning',
  plugins: client === 'relay' ? [relay] : [],
});
const tests = readdirSync(bundles).map((name) => join(bundles, name));
// Relay keeps what a page has shown for minutes, by a timer that would keep the process too.
const options = ['--enable-source-maps', '--test', '--test-force-exit', '--test-reporter=spec'];
const { status } = spawnSync(process.execPath, [...options, ...tests], { stdio: 'inherit' });
process.exitCode = status ?? 1;

// Bundles the tests of one client with esbuild, as Vite does with a front end, and runs them: `node bundle.js apollo`.
// The rule: only the client's own sources are bundled; packages are loaded from node_modules.
import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { transformAsync } from '@babel/core';
import { build } from 'esbuild';

const client = process.argv[2];
const sources = join(client, 'src');
const bundles = join(client, 'build');

// Turns Relay's `graphql` tags into imports of the files that relay-compiler generated.
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
// Relay keeps the data of a page for minutes with a timer, which would keep the process running.
const options = ['--enable-source-maps', '--test', '--test-force-exit', '--test-reporter=spec'];
const { status } = spawnSync(process.execPath, [...options, ...tests], { stdio: 'inherit' });
process.exitCode = status ?? 1;

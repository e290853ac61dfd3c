// What `npm run build` makes. The rule: the same sources give the same bytes in any folder, for the build is committed and held to them.
import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const source = (name) => fileURLToPath(new URL(`src/${name}`, import.meta.url));

export default defineConfig({
  base: "/playground/",
  plugins: [react()],
  resolve: {
    alias: [
      // Monaco with what an editor of queries needs, and not the two thirds that it does not.
      { find: /^monaco-graphql\/esm\/monaco-editor(\.js)?$/, replacement: source("monaco.js") },
      { find: /^\.\/monaco-editor$/, replacement: source("monaco.js") },
      // GraphiQL prettifies variables by Prettier's parser of JavaScript, half a megabyte; ours does it by the parser of JSON that is here anyway.
      { find: "prettier/parser-babel", replacement: source("prettier-json.js") },
      { find: "prettier/plugins/estree", replacement: source("prettier-json.js") },
    ],
  },
  server: { proxy: { "/graphql": process.env.TIDINGS ?? "http://127.0.0.1:8080" } },
  // Each worker is one file of this server: no `blob:` and no `data:` is needed, so that the policy of the page can forbid them.
  worker: { format: "es", rolldownOptions: { output: { codeSplitting: false } } },
  build: {
    target: "es2022",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 4096,
    reportCompressedSize: false,
    // What is in the bundle may be handed on with its licences, so they go along.
    license: { fileName: "licenses.md" },
    rolldownOptions: {
      // GraphiQL's packages bear directives for React's compiler, which has run on them already.
      onLog: (level, log, tell) => log.code === "MODULE_LEVEL_DIRECTIVE" || tell(level, log),
    },
  },
});

// The build of `npm run build`. The rule: the same sources give the same bytes in any folder, because the build is committed and compared with them.
import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const source = (name) => fileURLToPath(new URL(`src/${name}`, import.meta.url));

// GraphiQL builds the titles of its icons ("docs icon") from the names of functions, which the minifier shortens. This keeps the names of these
// functions only: the minifier's own option would keep all names, which would cost 0.3 MB.
const iconNames = {
  name: "icon-names",
  transform: {
    filter: { id: /\/@graphiql\/react\/dist\/icons\/index\.js$/ },
    handler: (code) => code.replaceAll(/generateIcon\((Svg\w+)\)/g, 'generateIcon(Object.defineProperty($1, "name", { value: "$1" }))'),
  },
};

export default defineConfig({
  base: "/playground/",
  plugins: [react(), iconNames],
  resolve: {
    alias: [
      // Only the parts of Monaco that an editor of queries needs, about a third.
      { find: /^monaco-graphql\/esm\/monaco-editor(\.js)?$/, replacement: source("monaco.js") },
      { find: /^\.\/monaco-editor$/, replacement: source("monaco.js") },
      // GraphiQL formats variables with Prettier's JavaScript parser, half a megabyte; ours uses the JSON parser that is in the bundle already.
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
    // The bundled packages can only be distributed with their licences.
    license: { fileName: "licenses.md" },
    rolldownOptions: {
      // GraphiQL's packages have directives for React's compiler, which has already run on them.
      onLog: (level, log, report) => log.code === "MODULE_LEVEL_DIRECTIVE" || report(level, log),
    },
  },
});

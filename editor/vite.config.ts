// The build of `npm run build`. The rule: the same sources give the same bytes in any folder, because the build is committed and compared with them.
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const server = process.env["TIDINGS"] ?? "http://127.0.0.1:8080";

export default defineConfig({
  base: "/editor/",
  plugins: [react()],
  server: { proxy: Object.fromEntries(["/graphql", "/editor/session", "^/assets(\\?|/|$)"].map((path) => [path, server])) },
  build: {
    target: "es2022",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: true,
    // The bundled packages can only be distributed with their licences.
    license: { fileName: "licenses.md" },
  },
});

import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

// During development, Vite forwards /graphql, /editor and the feeds to this server, so that page and server have one origin in the browser.
const server = process.env.TIDINGS_URL ?? "http://127.0.0.1:8080";

const proxy = Object.fromEntries(["/graphql", "/editor", "^/assets/[0-9a-f]{40}[-.]", "^/(.*/)?(feed\\.xml|rss\\.xml|feed\\.json)$", "^/sitemap"].map((path) => [path, server]));

export default defineConfig({
  plugins: [react()],
  // For the message that the server cannot be reached; only in development.
  define: { "import.meta.env.TIDINGS_URL": JSON.stringify(server) },
  server: { proxy },
  preview: { proxy },
});

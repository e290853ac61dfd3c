import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

// While one develops, Vite hands /graphql on to this server, so that page and server are one origin to the browser.
const server = process.env.TIDINGS_URL ?? "http://127.0.0.1:8080";

export default defineConfig({
  plugins: [react()],
  // For the message that it is out of reach, and in no build.
  define: { "import.meta.env.TIDINGS_URL": JSON.stringify(server) },
  server: { proxy: { "/graphql": server } },
  preview: { proxy: { "/graphql": server } },
});

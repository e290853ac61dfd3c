// The rule: an address has no slash at its end, as the addresses that the server makes for feeds, the sitemap and `canonicalUrl`. So each page is a file, such
// as posts/first-light.html, and the web server adds the ending.
import { defineConfig } from "astro/config";

export default defineConfig({
  // If the site is not at the root of its host, set the path here, such as "/blog", and give the server the same address: --site-url https://example.org/blog/
  base: "/",
  trailingSlash: "never",
  build: { format: "file" },
  // The server resizes the pictures.
  image: { service: { entrypoint: "astro/assets/services/noop" } },
  devToolbar: { enabled: false },
});

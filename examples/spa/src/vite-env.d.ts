interface ImportMetaEnv {
  /** The server's origin where it is not the page's own, such as `https://api.example.org`. */
  readonly VITE_TIDINGS_URL?: string;
  /** The address to which Vite forwards /graphql during development. */
  readonly TIDINGS_URL: string;
}

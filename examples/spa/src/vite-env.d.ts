interface ImportMetaEnv {
  /** The server's origin where it is not the page's own, such as `https://api.example.org`. */
  readonly VITE_TIDINGS_URL?: string;
  /** Where Vite hands /graphql on to while one develops. */
  readonly TIDINGS_URL: string;
}

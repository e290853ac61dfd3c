// What you change first. The name, the description, the language, the time zone, the menu and the address of the site are settings of the server: README.md has the command.

/** The posts of a page in a list. */
export const PAGE_SIZE = 10;
/** The language, if the server does not know it. */
export const LANGUAGE = "en";
/** The widths, in pixels, in which the site has its pictures; a server of Tidings has 160, 320, 480, 640, 960, 1280, 1600, 1920 and 2560. */
export const WIDTHS = [320, 640, 960, 1280];
export const AVATAR_WIDTHS = [160];
/** Where browsers ask the server when they search, such as https://api.blog.example. Without it, the site has no search and needs no server. */
export const SEARCH_SERVER = process.env["TIDINGS_SEARCH_URL"]?.replace(/\/$/, "") || null;

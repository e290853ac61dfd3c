// JSON with comments for Prettier, which GraphiQL uses to format variables.
import { applyEdits, format } from "jsonc-parser";

const OPTIONS = { tabSize: 2, insertSpaces: true, eol: "\n" };

const jsonc = {
  astFormat: "text",
  parse: (text) => ({ text: applyEdits(text, format(text, undefined, OPTIONS)) }),
  locStart: () => 0,
  locEnd: (tree) => tree.text.length,
};

export const parsers = { jsonc };
export const printers = { text: { print: (path) => path.node.text } };

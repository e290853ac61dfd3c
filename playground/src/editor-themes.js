// The colours of the editors. The rule: every text, line numbers included, has the contrast with its background that WCAG requires (4.5 : 1).

const colours = ({ ground, text, faint, accent, tint }) => ({
  // Transparent, so that the page's background shows.
  "editor.background": "#00000000",
  "scrollbar.shadow": "#00000000",
  "editorLineNumber.foreground": faint,
  "editorLineNumber.activeForeground": text,
  "editorLineNumber.dimmedForeground": faint,
  "editorHoverWidget.background": ground,
  "editorSuggestWidget.background": ground,
  "editorSuggestWidget.selectedBackground": tint,
  "editorSuggestWidget.selectedForeground": text,
  "editorSuggestWidget.highlightForeground": accent,
  "editorSuggestWidget.focusHighlightForeground": accent,
  "editorWidget.background": ground,
  "editorWidget.resizeBorder": accent,
  "list.hoverBackground": tint,
  "list.highlightForeground": accent,
  "list.focusHighlightForeground": accent,
  "menu.background": ground,
  "menu.selectionBackground": tint,
  "menu.selectionForeground": text,
  "input.background": tint,
  "textLink.foreground": accent,
  "textLink.activeForeground": accent,
  "editorLink.activeForeground": accent,
  focusBorder: accent,
});

const LIGHT = { ground: "#ffffff", text: "#16252c", faint: "#5a6f78", accent: "#0f5c6e", tint: "#0f5c6e1f" };
const DARK = { ground: "#162127", text: "#e6eef1", faint: "#8fa5af", accent: "#6cc7da", tint: "#6cc7da26" };

export const THEMES = {
  "tidings-light": {
    base: "vs",
    inherit: true,
    colors: colours(LIGHT),
    rules: [
      { token: "comment", foreground: "3d6b32" },
      { token: "argument.identifier.gql", foreground: "5a3fb0" },
    ],
  },
  "tidings-dark": {
    base: "vs-dark",
    inherit: true,
    colors: colours(DARK),
    rules: [
      { token: "comment", foreground: "8fbf7f" },
      { token: "argument.identifier.gql", foreground: "b3a8ff" },
    ],
  },
};

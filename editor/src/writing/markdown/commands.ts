// Changes of the selected text that the toolbar and the keys make. Each is one step of the history.
import { EditorSelection } from "@codemirror/state";
import type { Command, EditorView } from "@codemirror/view";

/** Puts marks around each selection, or takes them away. */
export function around(mark: string): Command {
  return (view) => {
    const { state } = view;
    const change = state.changeByRange((range) => {
      const [from, to] = [range.from - mark.length, range.to + mark.length];
      const isMarked = from >= 0 && state.sliceDoc(from, range.from) === mark && state.sliceDoc(range.to, to) === mark;
      if (isMarked) {
        const changes = [
          { from, to: range.from },
          { from: range.to, to },
        ];
        return { changes, range: EditorSelection.range(range.anchor - mark.length, range.head - mark.length) };
      }
      const changes = [
        { from: range.from, insert: mark },
        { from: range.to, insert: mark },
      ];
      return { changes, range: EditorSelection.range(range.anchor + mark.length, range.head + mark.length) };
    });
    view.dispatch(state.update(change, { userEvent: "input", scrollIntoView: true }));
    return true;
  };
}

/** Begins each selected line with what `markOf` returns for its place, or takes it away if all begin so. */
export function before(markOf: (place: number) => string, pattern: RegExp): Command {
  return (view) => {
    const { doc, selection } = view.state;
    const [first, last] = [doc.lineAt(selection.main.from).number, doc.lineAt(selection.main.to).number];
    const lines = Array.from({ length: last - first + 1 }, (_, place) => doc.line(first + place));
    const areMarked = lines.every((line) => pattern.test(line.text));
    const changes = lines.map((line, place) => {
      const found = pattern.exec(line.text)?.[0].length ?? 0;
      return { from: line.from, to: line.from + found, insert: areMarked ? "" : markOf(place) };
    });
    view.dispatch({ changes, userEvent: "input", scrollIntoView: true });
    return true;
  };
}

export const bold = around("**");
export const italic = around("*");
export const quote = before(() => "> ", /^> ?/);
export const bullets = before(() => "- ", /^[-*+] /);
export const numbers = before((place) => `${place + 1}. `, /^\d+\. /);
export const heading = (level: number) => before(() => `${"#".repeat(level)} `, new RegExp(`^#{${level}} `));

/** Within a line, or of whole lines. */
export const code: Command = (view) => {
  const { from, to } = view.state.selection.main;
  const text = view.state.sliceDoc(from, to);
  if (!text.includes("\n")) return around("`")(view);
  insertBlock(view, `\`\`\`\n${text}\n\`\`\``);
  return true;
};

export const link: Command = (view) => {
  const { from, to } = view.state.selection.main;
  const text = view.state.sliceDoc(from, to);
  const address = "https://";
  // The address is selected, to be typed or pasted over.
  const start = from + text.length + 3;
  view.dispatch({ changes: { from, to, insert: `[${text}](${address})` }, selection: { anchor: start, head: start + address.length }, userEvent: "input", scrollIntoView: true });
  return true;
};

export const table: Command = (view) => {
  insertBlock(view, "| Column | Column |\n|---|---|\n| Cell | Cell |");
  return true;
};

export const alert: Command = (view) => {
  const { from, to } = view.state.selection.main;
  insertBlock(view, ["[!NOTE]", ...view.state.sliceDoc(from, to).split("\n")].map((line) => `> ${line}`).join("\n"));
  return true;
};

/** In the line, in place of the selection. */
export function insert(view: EditorView, text: string): void {
  view.dispatch(view.state.replaceSelection(text), { userEvent: "input", scrollIntoView: true });
}

/** As a block, with an empty line before and after it. */
export function insertBlock(view: EditorView, text: string): void {
  const { doc, selection } = view.state;
  const { from, to } = selection.main;
  const lead = doc.sliceString(0, from);
  const gap = lead === "" || lead.endsWith("\n\n") ? "" : lead.endsWith("\n") ? "\n" : "\n\n";
  const end = doc.sliceString(to, to + 1) === "\n" || to === doc.length ? "\n" : "\n\n";
  insert(view, `${gap}${text}${end}`);
}

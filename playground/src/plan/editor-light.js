// The link between the panel and the query editor: fields are lit in the text, and a field under the mouse or the cursor is lit in the tree. The rule: only
// while the text is the one that the plan belongs to.
import { useGraphiQL } from "@graphiql/react";
import { useCallback, useEffect, useState } from "react";
import { pathsAt, placesOf } from "./places.js";
import { ofField, point, usePointing } from "./pointing.js";

/** Lights the fields that are pointed at, and returns whether the text of the editor is the plan's. */
export function useEditorLight({ text, places }) {
  const editor = useGraphiQL((state) => state.queryEditor);
  const isCurrent = useIsText(editor, text);
  const { paths } = usePointing();
  useEffect(() => {
    if (!editor || !isCurrent) return undefined;
    const model = editor.getModel();
    const decorations = placesOf(places, paths).map(({ start, end }) => ({ range: rangeOf(model, start, end), options: LIT }));
    const lights = editor.createDecorationsCollection(decorations);
    return () => lights.clear();
  }, [editor, isCurrent, places, paths]);
  usePointingByEditor(isCurrent ? editor : null, places);
  return isCurrent;
}

const LIT = { className: "plan-lit", inlineClassName: "plan-lit-text", stickiness: 1 };

function rangeOf(model, start, end) {
  const from = model.getPositionAt(start);
  const to = model.getPositionAt(end);
  return { startLineNumber: from.lineNumber, startColumn: from.column, endLineNumber: to.lineNumber, endColumn: to.column };
}

/** Shows these paths in the editor, if they are outside its visible part. */
export function useReveal(places) {
  const editor = useGraphiQL((state) => state.queryEditor);
  return useCallback(
    (paths) => {
      const [first] = placesOf(places, paths);
      if (editor && first) editor.revealRangeInCenterIfOutsideViewport(rangeOf(editor.getModel(), first.start, first.end));
    },
    [editor, places],
  );
}

function useIsText(editor, text) {
  const [isText, setIsText] = useState(false);
  useEffect(() => {
    if (!editor) return undefined;
    const compare = () => setIsText(editor.getValue() === text);
    compare();
    const listening = editor.onDidChangeModelContent(compare);
    return () => listening.dispose();
  }, [editor, text]);
  return isText;
}

function usePointingByEditor(editor, places) {
  useEffect(() => {
    if (!editor) return undefined;
    let last = "";
    const lightAt = (position) => {
      const paths = position ? pathsAt(places, editor.getModel().getOffsetAt(position)) : [];
      if (String(paths) === last) return;
      last = String(paths);
      point(paths.length === 0 ? null : ofField(paths));
    };
    const listening = [
      editor.onMouseMove(({ target }) => lightAt(target.type === TEXT ? target.position : null)),
      editor.onMouseLeave(() => lightAt(null)),
      // With the keyboard, the cursor is what points.
      editor.onDidChangeCursorPosition(({ position, source }) => source === "keyboard" && lightAt(position)),
      editor.onDidBlurEditorText(() => lightAt(null)),
    ];
    return () => listening.forEach((one) => one.dispose());
  }, [editor, places]);
}

/** Monaco's `MouseTargetType.CONTENT_TEXT`. */
const TEXT = 6;

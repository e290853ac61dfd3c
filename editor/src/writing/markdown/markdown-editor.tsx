// The field for Markdown: CodeMirror with a toolbar. The rule: what the form holds and what the field shows are the same after each key.
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { markdown, markdownKeymap, markdownLanguage } from "@codemirror/lang-markdown";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { Annotation, Compartment, EditorState, Transaction } from "@codemirror/state";
import { type Command, EditorView, drawSelection, dropCursor, keymap, placeholder } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { AssetDialog, type Chosen, markdownOf } from "../../media/asset-dialog";
import { editsOf } from "../merge";
import { FIELDS } from "../values";
import { insert, insertBlock } from "./commands";
import { markdownOfHtml } from "./rich-text";
import { TOOLS, Toolbar } from "./toolbar";

interface Props {
  control: { id: string; "aria-describedby": string; "aria-invalid": boolean };
  value: string;
  onChange: (value: string) => void;
}

/** A change that the form has made. */
const OfForm = Annotation.define<boolean>();

const STYLE = HighlightStyle.define([
  { tag: tags.heading1, fontSize: "1.5em", fontWeight: "650" },
  { tag: tags.heading2, fontSize: "1.3em", fontWeight: "650" },
  { tag: tags.heading3, fontSize: "1.12em", fontWeight: "650" },
  { tag: tags.heading, fontWeight: "650" },
  { tag: tags.strong, fontWeight: "700" },
  { tag: tags.emphasis, fontStyle: "italic" },
  { tag: tags.strikethrough, textDecoration: "line-through" },
  { tag: [tags.link, tags.url], color: "var(--accent)" },
  { tag: [tags.monospace, tags.contentSeparator], fontFamily: "var(--mono)", fontSize: "0.92em" },
  { tag: [tags.processingInstruction, tags.labelName], color: "var(--ink-soft)" },
  { tag: tags.quote, color: "var(--ink-soft)" },
]);

function pasteRichText(event: ClipboardEvent, view: EditorView): boolean {
  const text = markdownOfHtml(event.clipboardData?.getData("text/html") ?? "");
  if (text === null) return false;
  event.preventDefault();
  view.dispatch(view.state.replaceSelection(text), { userEvent: "input.paste", scrollIntoView: true });
  return true;
}

export default function MarkdownEditor({ control, value, onChange }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorView>(null);
  const [attributes] = useState(() => new Compartment());
  const [adding, setAdding] = useState<File[] | null>(null);
  /** Where what is being sent will be, whatever is typed meanwhile. */
  const spot = useRef<number | null>(null);
  const latest = useRef({ onChange, value, control });
  useEffect(() => {
    latest.current = { onChange, value, control };
  });

  useEffect(() => {
    const take = (files: FileList | undefined, event: Event): boolean => {
      if (!files || files.length === 0) return false;
      event.preventDefault();
      setAdding([...files]);
      return true;
    };
    const view = new EditorView({
      parent: place.current as HTMLElement,
      state: EditorState.create({
        doc: latest.current.value,
        extensions: [
          history(),
          drawSelection(),
          dropCursor(),
          markdown({ base: markdownLanguage }),
          syntaxHighlighting(STYLE),
          EditorView.lineWrapping,
          EditorView.perLineTextDirection.of(true),
          placeholder("Write here …"),
          attributes.of(attributesOf(latest.current.control)),
          keymap.of([...TOOLS.flatMap(({ key, run }) => (key === undefined ? [] : [{ key, run, preventDefault: true }])), ...markdownKeymap, ...defaultKeymap, ...historyKeymap]),
          EditorView.domEventHandlers({
            paste: (event, own) => take(event.clipboardData?.files, event) || pasteRichText(event, own),
            drop: (event, own) => {
              const at = own.posAtCoords({ x: event.clientX, y: event.clientY });
              if (at !== null && event.dataTransfer?.files.length) own.dispatch({ selection: { anchor: at } });
              return take(event.dataTransfer?.files, event);
            },
          }),
          EditorView.updateListener.of(({ changes, docChanged, state, transactions }) => {
            if (spot.current !== null) spot.current = changes.mapPos(spot.current);
            if (!docChanged || transactions.some((transaction) => transaction.annotation(OfForm))) return;
            flushSync(() => latest.current.onChange(state.doc.toString()));
          }),
        ],
      }),
    });
    editor.current = view;
    return () => view.destroy();
  }, [attributes]);

  useEffect(() => {
    const view = editor.current;
    const shown = view?.state.doc.toString();
    if (!view || shown === undefined || shown === value) return;
    // What somebody else has written is not undone by the keyboard.
    view.dispatch({ changes: editsOf(shown, value), annotations: [OfForm.of(true), Transaction.addToHistory.of(false)] });
  }, [value]);

  const { id, "aria-describedby": describedBy, "aria-invalid": isInvalid } = control;
  useEffect(() => {
    const of = attributesOf({ id, "aria-describedby": describedBy, "aria-invalid": isInvalid });
    editor.current?.dispatch({ effects: attributes.reconfigure(of) });
  }, [attributes, id, describedBy, isInvalid]);

  const run = (command: Command) => {
    if (!editor.current) return;
    command(editor.current);
    editor.current.focus();
  };
  const put = (chosen: Chosen) => {
    const view = editor.current;
    if (!view) return;
    const at = spot.current;
    const { anchor, head } = view.state.selection.main;
    const length = view.state.doc.length;
    if (at !== null) view.dispatch({ selection: { anchor: at } });
    if (chosen.picture) insertBlock(view, markdownOf(chosen));
    else insert(view, markdownOf(chosen));
    // The next file comes after this one.
    if (at !== null) spot.current = at + view.state.doc.length - length;
    // Who has gone on to write elsewhere stays there.
    const moved = (was: number) => (at !== null && was > at ? was + view.state.doc.length - length : was);
    if (at !== null && head !== at) view.dispatch({ selection: { anchor: moved(anchor), head: moved(head) } });
  };
  const close = () => {
    setAdding(null);
    spot.current = null;
    editor.current?.focus();
  };
  const goOn = () => {
    spot.current = editor.current?.state.selection.main.head ?? null;
    editor.current?.focus();
  };
  return (
    <div className="markdown">
      <Toolbar onRun={run} onPicture={() => setAdding([])} />
      <div ref={place} />
      {adding ? <AssetDialog files={adding} onChoose={put} onClose={close} onAside={goOn} /> : null}
    </div>
  );
}

function attributesOf(control: Props["control"]) {
  const isInvalid = control["aria-invalid"] ? "true" : "false";
  return EditorView.contentAttributes.of({
    id: control.id,
    "aria-label": FIELDS.markdown,
    "aria-describedby": control["aria-describedby"],
    "aria-invalid": isInvalid,
    dir: "auto",
    autocapitalize: "sentences",
    autocorrect: "on",
    spellcheck: "true",
  });
}

// Buttons for what Markdown can do, each with its key.
import type { Command } from "@codemirror/view";
import type { ReactNode } from "react";
import { alert, bold, bullets, code, heading, italic, link, numbers, quote, table } from "./commands";

interface Tool {
  name: string;
  /** As CodeMirror writes it; `Mod` is Ctrl, on a Mac Cmd. */
  key?: string;
  run: Command;
  icon: ReactNode;
}

export const TOOLS: Tool[] = [
  { name: "H2 heading", key: "Mod-Alt-2", run: heading(2), icon: <b>H2</b> },
  { name: "H3 heading", key: "Mod-Alt-3", run: heading(3), icon: <b>H3</b> },
  { name: "Bold", key: "Mod-b", run: bold, icon: <b>B</b> },
  { name: "Italic", key: "Mod-i", run: italic, icon: <i>I</i> },
  { name: "Link", key: "Mod-k", run: link, icon: <Icon path="M10 14a4 4 0 0 0 6 .4l3-3a4.2 4.2 0 0 0-6-6l-1.6 1.6M14 10a4 4 0 0 0-6-.4l-3 3a4.2 4.2 0 0 0 6 6l1.6-1.6" /> },
  { name: "List", key: "Mod-Shift-8", run: bullets, icon: <Icon path="M9 6h11M9 12h11M9 18h11M4.5 6h.01M4.5 12h.01M4.5 18h.01" /> },
  { name: "Numbered list", key: "Mod-Shift-7", run: numbers, icon: <Icon path="M10 6h10M10 12h10M10 18h10M4 4.5l1.5-.7V9M4 14.2c.4-1.4 2.6-1.2 2.5.2 0 1-2.5 2-2.5 3.1h2.7" /> },
  { name: "Quote", key: "Mod-Shift-9", run: quote, icon: <Icon path="M5 5v14M10 7h9M10 12h9M10 17h6" /> },
  { name: "Alert", run: alert, icon: <Icon path="M12 4 3 20h18zM12 10v4M12 17h.01" /> },
  { name: "Code", key: "Mod-e", run: code, icon: <Icon path="m8 7-5 5 5 5M16 7l5 5-5 5" /> },
  { name: "Table", run: table, icon: <Icon path="M4 5h16v14H4zM4 10h16M12 5v14" /> },
];

const MAC = /Mac|iPhone|iPad/.test(navigator.userAgent);

function shown(key: string): string {
  return key.replace("Mod", MAC ? "⌘" : "Ctrl").replace("Alt", MAC ? "⌥" : "Alt").replaceAll("-", "+").toUpperCase().replace("CTRL", "Ctrl").replace("ALT", "Alt").replace("SHIFT", "Shift");
}

export function Toolbar({ onRun, onPicture }: { onRun: (command: Command) => void; onPicture: () => void }) {
  return (
    <div className="toolbar" role="group" aria-label="Formatting">
      {TOOLS.map(({ name, key, run, icon }) => (
        // The field keeps the focus and its selection.
        <button key={name} type="button" aria-label={name} title={key === undefined ? name : `${name} (${shown(key)})`} onMouseDown={(event) => event.preventDefault()} onClick={() => onRun(run)}>
          {icon}
        </button>
      ))}
      <button type="button" aria-label="Picture or file" title="Picture or file" onClick={onPicture}>
        <Icon path="M4 5h16v14H4zM4 16l5-5 4 4 2.5-2.5L20 17M15.5 9h.01" />
      </button>
    </div>
  );
}

function Icon({ path }: { path: string }) {
  return (
    <svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" fill="none" stroke="currentColor" strokeWidth="2" strokeLinecap="round" strokeLinejoin="round">
      <path d={path} />
    </svg>
  );
}

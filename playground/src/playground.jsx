// GraphiQL with what is ours: the examples, the controls in the page's head, and the line below the answer.
import { GraphiQL } from "graphiql";
import { HISTORY_PLUGIN } from "@graphiql/plugin-history";
import { useGraphiQL, useGraphiQLActions } from "@graphiql/react";
import { useEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import "@graphiql/react/style.css";
import "@graphiql/plugin-doc-explorer/style.css";
import "@graphiql/plugin-history/style.css";
import "graphiql/graphiql.css";
import "./style.css";
import { AnswerLine } from "./answer-line.jsx";
import { examplesFor, isLanding } from "./examples.js";
import { fetcher } from "./server.js";
import { StorageSwitch } from "./storage-switch.jsx";
import { ThemeChoice } from "./theme-choice.jsx";
import { TokenField } from "./token-field.jsx";

// Made once: GraphiQL resets its plugins where it is given another list.
const PLUGINS = [HISTORY_PLUGIN];
const EDITOR_THEME = { light: "tidings-light", dark: "tidings-dark" };

export function Playground({ told, slugs }) {
  const [examples] = useState(() => examplesFor(slugs));
  return (
    <>
      {told.schema === null && <SchemaNotice reason={told.reason} />}
      <GraphiQL
        fetcher={fetcher}
        schema={told.schema}
        dangerouslyAssumeSchemaIsValid
        defaultTabs={examples}
        defaultEditorToolsVisibility
        isHeadersEditorEnabled={false}
        showPersistHeadersSettings={false}
        plugins={PLUGINS}
        editorTheme={EDITOR_THEME}
      >
        <GraphiQL.Logo>
          <span />
        </GraphiQL.Logo>
        <GraphiQL.Footer>
          <AnswerLine />
        </GraphiQL.Footer>
        <Landing />
        <Controls />
      </GraphiQL>
    </>
  );
}

function SchemaNotice({ reason }) {
  return (
    <p className="notice" role="status">
      This server does not tell its schema ({reason}), so that there is no documentation and no completion here. Queries run all the same.
    </p>
  );
}

/** Runs the first example once the editors are there, so that the landing view shows an answer. */
function Landing() {
  const { run } = useGraphiQLActions();
  const { queryEditor, responseEditor } = useGraphiQL(({ queryEditor, responseEditor }) => ({ queryEditor, responseEditor }));
  const hasRun = useRef(false);
  useEffect(() => {
    if (!queryEditor || !responseEditor || hasRun.current) return;
    hasRun.current = true;
    if (isLanding(queryEditor.getValue())) run();
  }, [queryEditor, responseEditor, run]);
  return null;
}

/** They stand in the head of the page, before GraphiQL, for the eye and for the keyboard alike. */
function Controls() {
  return createPortal(
    <>
      <StorageSwitch />
      <TokenField />
      <ThemeChoice />
    </>,
    document.getElementById("controls"),
  );
}

// GraphiQL with our parts: the examples, the controls in the page's head, the panel of the plan, and the line below the answer.
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
import "./plan/plan.css";
import { AnswerLine } from "./answer-line.jsx";
import { LANDING, examplesFor } from "./examples.js";
import { PLAN_PLUGIN } from "./plan/plugin.jsx";
import { fetcher } from "./server.js";
import { leftPlanOpen } from "./store.js";
import { ThemeChoice } from "./theme-choice.jsx";
import { TokenField } from "./token-field.jsx";

// Created once, because GraphiQL resets its plugins if it gets another list.
const PLUGINS = [PLAN_PLUGIN, HISTORY_PLUGIN];
const EDITOR_THEME = { light: "tidings-light", dark: "tidings-dark" };

export function Playground({ introspection, slugs }) {
  const [examples] = useState(() => examplesFor(slugs));
  // At the first visit the plan is open if the server reports it to everyone, as it does for the sample blog.
  const [isPlanOpen] = useState(() => leftPlanOpen() ?? slugs.reportsPlans);
  return (
    <>
      {introspection.schema === null && <SchemaNotice reason={introspection.reason} />}
      <GraphiQL
        fetcher={fetcher}
        schema={introspection.schema}
        dangerouslyAssumeSchemaIsValid
        defaultTabs={examples}
        defaultEditorToolsVisibility
        isHeadersEditorEnabled={false}
        showPersistHeadersSettings={false}
        plugins={PLUGINS}
        visiblePlugin={isPlanOpen ? PLAN_PLUGIN : undefined}
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
      This server does not publish its schema ({reason}), so there is no documentation and no completion here. Queries still run.
    </p>
  );
}

/** Runs the first example when the editors are ready, so that the first view shows an answer. */
function Landing() {
  const { run } = useGraphiQLActions();
  const { queryEditor, responseEditor } = useGraphiQL(({ queryEditor, responseEditor }) => ({ queryEditor, responseEditor }));
  const hasRun = useRef(false);
  useEffect(() => {
    if (!queryEditor || !responseEditor || hasRun.current) return;
    hasRun.current = true;
    if (queryEditor.getValue() === LANDING) run();
  }, [queryEditor, responseEditor, run]);
  return null;
}

/** The controls are in the head of the page, before GraphiQL, also in the order of keyboard focus. */
function Controls() {
  return createPortal(
    <>
      <TokenField />
      <ThemeChoice />
    </>,
    document.getElementById("controls"),
  );
}

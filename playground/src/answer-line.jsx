// The line below the answer: its duration, and what to do if it was refused because a token is missing.
// The rule: in each tab, it describes the answer above it, and no other.
import { useGraphiQL } from "@graphiql/react";
import { useEffect } from "react";
import { openTokenField } from "./token-field.jsx";
import { keepTabs, useSettings } from "./store.js";

export function AnswerLine() {
  const { outcomes, token, tokenNumber } = useSettings();
  const { id, response } = useGraphiQL(({ tabs, activeTabIndex }) => tabs[activeTabIndex]) ?? {};
  const ids = useGraphiQL(({ tabs }) => tabs.map((tab) => tab.id).join(" "));
  const isFetching = useGraphiQL((state) => state.isFetching);
  useEffect(() => keepTabs(ids.split(" "), id), [ids, id]);
  const outcome = outcomes[id];
  // GraphiQL also shows texts that were not sent, and ignores an answer that a later run overtook: the text identifies the answer that is shown.
  const isShown = Boolean(response) && outcome?.text === response;
  return (
    <div className="answer-line" role="status">
      {isShown && <Outcome {...outcome} token={token} isTokenNew={Boolean(token) && outcome.tokenNumber !== tokenNumber} />}
      {!response && (isFetching ? "Waiting for the answer, or for the first event of a subscription." : "Run the query to see its answer here.")}
    </div>
  );
}

function Outcome({ milliseconds, isAnswered, isEvent, code, token, isTokenNew }) {
  if (!isAnswered) return <span>There was no answer: the server cannot be reached.</span>;
  if (code === "UNAUTHENTICATED") return <Refused token={token} isTokenNew={isTokenNew} />;
  return <span>{isEvent ? "The last event." : `Answered in ${milliseconds} ms.`}</span>;
}

function Refused({ token, isTokenNew }) {
  if (isTokenNew) return <span>This was asked before you entered your token: run it again.</span>;
  return (
    <>
      <span>{token ? "The server does not accept your token." : "This needs a token."}</span>
      <button type="button" onClick={openTokenField}>
        {token ? "Enter another" : "Enter a token"}
      </button>
    </>
  );
}

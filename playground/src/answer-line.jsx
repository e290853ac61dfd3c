// The line below the answer: how long it took, what it cost, and what to do where it was refused for want of a token.
// The rule: it tells of the answer that stands above it, in each tab, and of no other.
import { useGraphiQL } from "@graphiql/react";
import { useEffect } from "react";
import { openTokenField } from "./token-field.jsx";
import { change, useSettings } from "./store.js";

export function AnswerLine() {
  const { outcomes, token, tokenNumber } = useSettings();
  const { id, response } = useGraphiQL(({ tabs, activeTabIndex }) => tabs[activeTabIndex]) ?? {};
  const isFetching = useGraphiQL((state) => state.isFetching);
  useEffect(() => change({ tab: id }), [id]);
  const outcome = outcomes[id];
  // GraphiQL writes what it did not send, and passes over an answer that a later run overtook: the text tells whose answer is shown.
  const isShown = Boolean(response) && outcome?.text === response;
  return (
    <div className="answer-line" role="status">
      {isShown && <Told {...outcome} token={token} isTokenNew={Boolean(token) && outcome.tokenNumber !== tokenNumber} />}
      {!response && !isFetching && "Run the query to see its answer here."}
    </div>
  );
}

function Told({ milliseconds, storage, asked, hasData, isAnswered, code, token, isTokenNew }) {
  if (!isAnswered) return <span>There was no answer: the server cannot be reached.</span>;
  if (code === "UNAUTHENTICATED") return <Refused token={token} isTokenNew={isTokenNew} />;
  const cost = asked && (storage || hasData) ? `; ${costOf(storage)}` : "";
  return <span>{`Answered in ${milliseconds} ms${cost}.`}</span>;
}

function Refused({ token, isTokenNew }) {
  if (isTokenNew) return <span>This was asked before you entered your token: run it again.</span>;
  return (
    <>
      <span>{token ? "The server does not take your token." : "This needs a token."}</span>
      <button type="button" onClick={openTokenField}>
        {token ? "Enter another" : "Enter a token"}
      </button>
    </>
  );
}

function costOf(storage) {
  if (!storage) return "what it cost is not told (start the server with --tell-storage, or give a token that sees all drafts)";
  const { pointReads, rangeReads, roundTrips, bound } = storage;
  const most = bound.pointReads + bound.rangeReads;
  return `${count(pointReads + rangeReads, "request")} to the storage in ${count(roundTrips, "round trip")}, ${most} at the most`;
}

const count = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;

// The line below the answer: how long it took, what it cost, and what to do where it was refused for want of a token.
import { useGraphiQL } from "@graphiql/react";
import { useEffect } from "react";
import { openTokenField } from "./token-field.jsx";
import { change, useSettings } from "./store.js";

export function AnswerLine() {
  const { last, token } = useSettings();
  const tab = useGraphiQL((state) => state.tabs[state.activeTabIndex]?.id);
  useEffect(() => change({ last: null }), [tab]);
  return (
    <div className="answer-line" role="status">
      {last ? <Told {...last} token={token} /> : "Run the query to see its answer here."}
    </div>
  );
}

function Told({ milliseconds, storage, asked, code, token }) {
  if (code === "UNAUTHENTICATED") {
    return (
      <>
        <span>{token ? "The server does not take your token." : "This needs a token."}</span>
        <button type="button" onClick={openTokenField}>
          {token ? "Give another" : "Give one"}
        </button>
      </>
    );
  }
  return <span>{`Answered in ${milliseconds} ms${asked ? `; ${costOf(storage)}` : ""}.`}</span>;
}

function costOf(storage) {
  if (!storage) return "what it cost is not told (start the server with --tell-storage, or give a token that sees all drafts)";
  const { pointReads, rangeReads, roundTrips, bound } = storage;
  const most = bound.pointReads + bound.rangeReads;
  return `${count(pointReads + rangeReads, "request")} to the storage in ${count(roundTrips, "round trip")}, ${most} at the most`;
}

const count = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;

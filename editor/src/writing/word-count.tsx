// The number of words. The rule: of a long text they are counted when the writer pauses, so that typing does not wait for it.
import { useEffect, useState } from "react";
import { countWords } from "./words";

/** Counting a text of this length takes a millisecond. */
const LONG = 20_000;
const PAUSE_MS = 600;

export function WordCount({ text }: { text: string }) {
  const [counted, setCounted] = useState(() => countWords(text));
  const isLong = text.length > LONG;
  useEffect(() => {
    if (!isLong) return;
    const timer = window.setTimeout(() => setCounted(countWords(text)), PAUSE_MS);
    return () => window.clearTimeout(timer);
  }, [text, isLong]);
  return <p className="count">{isLong ? counted : countWords(text)}</p>;
}

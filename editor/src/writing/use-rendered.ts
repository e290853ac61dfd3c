// The text as the server renders it, while it is typed. The rule: it is asked for after a pause, one text at a time, and the last one wins.
import { useCallback, useEffect, useRef, useState } from "react";
import type { CombinedError } from "urql";
import { RenderedQuery } from "../documents";
import { uncached } from "../graphql/client";
import { failureOf } from "../graphql/failure";

interface Rendered {
  markdown: string;
  html: string;
  /** Why this text is not rendered; `html` is that of the text before. */
  error?: CombinedError | undefined;
}

const PAUSE_MS = 250;
const AGAIN_MS = 5_000;

/** `saved`: what the server has sent with the stored text; null if it is not stored. */
export function useRendered(markdown: string, saved: Rendered | null): Rendered {
  const [last, setLast] = useState(saved ?? { markdown: "", html: "" });
  const wanted = useRef<string | null>(markdown);
  const isAsking = useRef(false);
  const wasAsked = last.markdown === markdown;
  if (saved?.markdown === markdown && (!wasAsked || last.error)) setLast(saved);
  const mustAsk = !wasAsked || (last.error !== undefined && failureOf(last.error).canRetry);

  const ask = useCallback(async () => {
    if (isAsking.current) return;
    isAsking.current = true;
    for (let asked: string | null = null; wanted.current !== null && wanted.current !== asked; ) {
      const text: string = wanted.current;
      const { data, error } = await uncached.query(RenderedQuery, { markdown: text });
      setLast(({ html }) => ({ markdown: text, html: data?.renderedMarkdown?.html ?? html, error }));
      asked = text;
    }
    isAsking.current = false;
  }, []);

  useEffect(() => {
    wanted.current = markdown;
    const timer = mustAsk ? window.setTimeout(() => void ask(), wasAsked ? AGAIN_MS : PAUSE_MS) : undefined;
    return () => {
      wanted.current = null;
      window.clearTimeout(timer);
    };
    // After each answer, also if it is an error again.
  }, [markdown, mustAsk, wasAsked, ask, last]);
  return last;
}

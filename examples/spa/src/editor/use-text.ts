// The state of a post's form. The rule: whatever differs from the server's is in sessionStorage with the next render.
import { useCallback, useEffect, useState } from "react";
import { type Text, forgetText, keepText, keptText } from "./kept-text";
import { type Values, differing, putOver } from "./values";

export interface Typed {
  text: Text;
  isDirty: boolean;
  /** Some of the fields, as they were just typed. */
  type: (some: Partial<Values>) => void;
  /** The server has these values now; `sent` is what was saved, so that what was typed since then stays. */
  settle: (version: number, saved: Values, sent: Values) => void;
  /** Another text comes into the form, and what was typed is put aside. */
  takeInstead: (version: number, values: Values) => void;
  /** What was typed goes on from a later version. */
  carryOver: (version: number, theirs: Values, beside: Values | null) => void;
  bringBack: () => void;
}

export function useText(id: string, version: number, saved: Values): Typed {
  const [text, setText] = useState<Text>(() => keptText(id) ?? { version, base: saved, values: saved, aside: null, beside: null });
  const isDirty = differing(text.base, text.values).length > 0;
  const mustKeep = isDirty || text.aside !== null;

  useEffect(() => {
    if (mustKeep) keepText(id, text);
    else forgetText(id);
  }, [id, text, mustKeep]);

  useEffect(() => {
    if (!isDirty) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", warn);
    return () => window.removeEventListener("beforeunload", warn);
  }, [isDirty]);

  const type = useCallback((some: Partial<Values>) => {
    setText((now) => ({ ...now, values: { ...now.values, ...some } }));
  }, []);
  const settle = useCallback((next: number, base: Values, sent: Values) => {
    setText((now) => ({ version: next, base, values: putOver(sent, now.values, base), aside: null, beside: null }));
  }, []);
  const takeInstead = useCallback((next: number, values: Values) => {
    setText((now) => ({ version: next, base: values, values, aside: putOver(now.base, now.values, values), beside: null }));
  }, []);
  const carryOver = useCallback((next: number, theirs: Values, beside: Values | null) => {
    setText((now) => ({ ...now, version: next, base: theirs, values: putOver(now.base, now.values, theirs), beside }));
  }, []);
  const bringBack = useCallback(() => {
    setText((now) => (now.aside === null ? now : { ...now, values: now.aside, aside: null }));
  }, []);
  return { text, isDirty, type, settle, takeInstead, carryOver, bringBack };
}

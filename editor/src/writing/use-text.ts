// The state of the form. The rule: text that differs from the server's is in localStorage after the next render.
import { useCallback, useEffect, useState } from "react";
import { type Text, keepText, keptText, removeText } from "./kept-text";
import { type Values, differing, putOver } from "./values";

export interface Typed {
  text: Text;
  isDirty: boolean;
  /** Whether the browser has place for what is not saved. */
  isKept: boolean;
  /** Sets the fields that were just typed. */
  type: (some: Partial<Values>) => void;
  /** The server has these values now; `sent` is what was saved, so that text typed since then is kept. */
  acceptSaved: (version: number, saved: Values, sent: Values) => void;
  /** Replaces the text of the form, and keeps what was typed in `aside`. */
  takeInstead: (version: number, values: Values) => void;
  /** Bases what was typed on a later version. */
  carryOver: (version: number, theirs: Values, beside: Values | null) => void;
  bringBack: () => void;
  /** The writer chose to create the tag of this slug. */
  markNew: (tag: string) => void;
}

export function useText(id: string, version: number, saved: Values): Typed {
  const [text, setText] = useState<Text>(() => keptText(id) ?? { version, base: saved, values: saved, aside: null, beside: null });
  const isDirty = differing(text.base, text.values).length > 0;
  const [isKept, setKept] = useState(true);
  const mustKeep = isDirty || text.aside !== null;

  useEffect(() => {
    // Only an attempt shows whether the browser has place.
    // oxlint-disable-next-line react/set-state-in-effect
    if (mustKeep) setKept(keepText(id, text));
    else removeText(id);
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
  const acceptSaved = useCallback((next: number, base: Values, sent: Values) => {
    setText((now) => ({ version: next, base, values: putOver(sent, now.values, base), aside: null, beside: null }));
  }, []);
  const takeInstead = useCallback((next: number, values: Values) => {
    setText((now) => ({ ...now, version: next, base: values, values, aside: putOver(now.base, now.values, values), beside: null }));
  }, []);
  const carryOver = useCallback((next: number, theirs: Values, beside: Values | null) => {
    setText((now) => ({ ...now, version: next, base: theirs, values: putOver(now.base, now.values, theirs), beside }));
  }, []);
  const bringBack = useCallback(() => {
    setText((now) => (now.aside === null ? now : { ...now, values: now.aside, aside: null }));
  }, []);
  const markNew = useCallback((tag: string) => {
    setText((now) => ({ ...now, newTags: [...(now.newTags ?? []), tag] }));
  }, []);
  return { text, isDirty, isKept, type, acceptSaved, takeInstead, carryOver, bringBack, markNew };
}

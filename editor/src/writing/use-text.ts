// The state of the form. The rule: text that differs from the server's is in localStorage after the next render; one that takes long to keep, such as one
// of 1 MB, after a pause of two seconds at most, and before the page is hidden or the form is left.
import { useCallback, useEffect, useRef, useState } from "react";
import { type Creation, type Draft, type Text, hasText, keepText, keptText, onTaken, removeText } from "./kept-text";
import { merged } from "./merge";
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
  /** The same for a new text, which has this id from now on. `base` is what the server made of what was sent. */
  acceptCreated: (id: string, version: number, base: Values, sent: Values) => void;
  /** Keeps what is sent to create the text, until an answer says what came of it. */
  keepCreation: (creation: Creation | null) => void;
  /** The text now, also before the next render. */
  now: () => Text;
  /** Replaces the text of the form, and keeps what was typed in `aside`. */
  takeInstead: (version: number, values: Values) => void;
  /** Bases what was typed on a later version. */
  carryOver: (version: number, theirs: Values, beside: Values | null) => void;
  /** Exchanges the text of the form with the one that was put aside last. */
  bringBack: () => void;
  /** Discards the one that was put aside last. */
  discardAside: () => void;
  /** The writer chose to create the tag of this slug. */
  markNew: (tag: string) => void;
}

/** A text that is kept in this time delays no key. */
const SHORT_MS = 8;
const KEEP_AFTER_MS = 2000;

function isChanged({ base, values }: Draft): boolean {
  return differing(base, values).length > 0;
}

/** What must not be lost. */
function isWorthKeeping(text: Text): boolean {
  return isChanged(text) || text.aside.length > 0 || text.creation !== null;
}

function putAside({ aside, base, values }: Text): Draft[] {
  return isChanged({ base, values }) ? [...aside, { base, values }] : aside;
}

export function useText(id: string, version: number, saved: Values): Typed {
  const [text, setText] = useState<Text>(
    () => keptText(id) ?? { version, base: saved, values: saved, aside: [], beside: null, newTags: [], creation: null },
  );
  // An answer that arrives between two renders needs the newest text.
  const newest = useRef(text);
  const isDirty = isChanged(text);
  const [isKept, setKept] = useState(true);
  const mustKeep = isWorthKeeping(text);

  // How long the last attempt took, in milliseconds.
  const cost = useRef(0);
  const waiting = useRef<{ id: string; timer: number } | null>(null);
  const keepNow = useCallback(() => {
    const awaited = waiting.current;
    waiting.current = null;
    if (!awaited) return;
    window.clearTimeout(awaited.timer);
    const start = performance.now();
    const hasPlace = keepText(awaited.id, newest.current);
    cost.current = performance.now() - start;
    setKept(hasPlace);
  }, []);
  useEffect(() => {
    if (!mustKeep) {
      waiting.current = null;
      // The first text after this is kept at once, so that a form that is left then has one to replace.
      cost.current = 0;
      return removeText(id);
    }
    if (waiting.current?.id !== id) waiting.current = { id, timer: window.setTimeout(keepNow, KEEP_AFTER_MS) };
    // Only an attempt shows whether the browser has place.
    // oxlint-disable-next-line react/set-state-in-effect
    if (cost.current < SHORT_MS) keepNow();
    return undefined;
  }, [id, text, mustKeep, keepNow]);

  useEffect(() => {
    const hide = () => keepNow();
    window.addEventListener("pagehide", hide);
    document.addEventListener("visibilitychange", hide);
    return () => {
      window.removeEventListener("pagehide", hide);
      document.removeEventListener("visibilitychange", hide);
      // Deleting the text and signing out have removed it.
      if (waiting.current && hasText(waiting.current.id)) keepNow();
      waiting.current = null;
    };
  }, [keepNow]);

  useEffect(() => (mustKeep ? onTaken(id, () => keepText(id, newest.current)) : undefined), [id, mustKeep]);

  useEffect(() => {
    if (!isDirty) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", warn);
    return () => window.removeEventListener("beforeunload", warn);
  }, [isDirty]);

  const change = useCallback((next: (now: Text) => Text) => {
    newest.current = next(newest.current);
    setText(newest.current);
  }, []);
  const now = useCallback(() => newest.current, []);
  const type = useCallback((some: Partial<Values>) => change((was) => ({ ...was, values: { ...was.values, ...some } })), [change]);
  const acceptSaved = useCallback(
    (next: number, base: Values, sent: Values) => change((was) => ({ ...was, version: next, base, values: putOver(sent, was.values, base), beside: null })),
    [change],
  );
  const acceptCreated = useCallback(
    (created: string, next: number, base: Values, sent: Values) => {
      change((was) => ({ ...was, version: next, base, values: putOver(sent, was.values, base), creation: null }));
      // The view may be closed already, so this does not wait for a render.
      if (isWorthKeeping(newest.current)) keepText(created, newest.current);
      removeText(id);
    },
    [change, id],
  );
  const keepCreation = useCallback(
    (creation: Creation | null) => {
      change((was) => ({ ...was, creation }));
      if (isWorthKeeping(newest.current)) keepText(id, newest.current);
    },
    [change, id],
  );
  const takeInstead = useCallback(
    (next: number, values: Values) => change((was) => ({ ...was, version: next, base: values, values, aside: putAside(was), beside: null })),
    [change],
  );
  const carryOver = useCallback(
    (next: number, theirs: Values, beside: Values | null) =>
      change((was) => ({ ...was, version: next, base: theirs, values: putOver(was.base, was.values, theirs), beside })),
    [change],
  );
  const bringBack = useCallback(
    () =>
      change((was) => {
        const last = was.aside.at(-1);
        if (!last) return was;
        const rest = was.aside.slice(0, -1);
        // Others may have changed the same part meanwhile.
        const both = merged(last.base, last.values, was.base);
        const values = both ?? putOver(last.base, last.values, was.base);
        return { ...was, values, beside: both ? null : was.base, aside: putAside({ ...was, aside: rest }) };
      }),
    [change],
  );
  const discardAside = useCallback(() => change((was) => ({ ...was, aside: was.aside.slice(0, -1) })), [change]);
  const markNew = useCallback((tag: string) => change((was) => ({ ...was, newTags: [...was.newTags, tag] })), [change]);
  return { text, isDirty, isKept, type, acceptSaved, acceptCreated, keepCreation, now, takeInstead, carryOver, bringBack, discardAside, markNew };
}

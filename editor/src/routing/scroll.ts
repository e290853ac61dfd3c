// The scroll position, kept for each entry of the history. The rule: a link starts at the top, the way back at the previous position.
import { useEffect, useLayoutEffect } from "react";
import { type Place, keepNote, noteOf } from "./place";

/** The time that a page has to reach its previous length. */
const PATIENCE_MS = 3000;

export function useScrollKept({ key, by }: Place): void {
  useEffect(() => {
    window.history.scrollRestoration = "manual";
  }, []);

  useLayoutEffect(() => {
    const target = by === "link" ? 0 : (noteOf<number>("scroll") ?? 0);
    const stopRestoring = restore(target);
    let waiting = 0;
    const keep = () => {
      window.clearTimeout(waiting);
      // Browsers refuse frequent writes to an entry of the history.
      waiting = window.setTimeout(() => keepNote("scroll", window.scrollY), 120);
    };
    window.addEventListener("scroll", keep, { passive: true });
    return () => {
      stopRestoring();
      window.clearTimeout(waiting);
      window.removeEventListener("scroll", keep);
    };
  }, [key, by]);
}

/** Scrolls to the target as soon as the page is long enough, unless the reader scrolls first. */
function restore(target: number): () => void {
  window.scrollTo(0, target);
  if (window.scrollY >= target - 1) return () => {};
  const growing = new ResizeObserver(() => {
    window.scrollTo(0, target);
    if (window.scrollY >= target - 1) stop();
  });
  const stop = () => {
    growing.disconnect();
    window.clearTimeout(tooLate);
    READER_MOVES.forEach((event) => window.removeEventListener(event, stop));
  };
  const tooLate = window.setTimeout(stop, PATIENCE_MS);
  growing.observe(document.body);
  READER_MOVES.forEach((event) => window.addEventListener(event, stop, { passive: true, once: true }));
  return stop;
}

const READER_MOVES = ["wheel", "touchstart", "keydown", "pointerdown"];

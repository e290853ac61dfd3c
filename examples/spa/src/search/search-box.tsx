// The search in the head of every view. The rule: the address has the text, so that results can be shared, and the way back leads out of the search.
import { type FormEvent, useEffect, useRef, useState } from "react";
import { addressOf, textOfSearch } from "../routing/addresses";
import { goTo, replaceWith, usePlace } from "../routing/place";

/** Results are asked for after such a pause. */
const PAUSE_MS = 150;

export function SearchBox() {
  const { path, search, key } = usePlace();
  const isSearch = path === addressOf.search;
  const shown = isSearch ? textOfSearch(search) : "";
  // What is typed until the address has it; another view drops it.
  const [typed, setTyped] = useState({ text: "", key: "" });
  const pending = typed.key === key && typed.text !== shown ? typed.text : null;
  const input = useRef<HTMLInputElement>(null);

  useEffect(() => {
    if (pending === null) return;
    const waiting = window.setTimeout(() => show(pending, isSearch), PAUSE_MS);
    return () => window.clearTimeout(waiting);
  }, [pending, isSearch]);
  useEffect(() => {
    const begin = (event: KeyboardEvent) => {
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isEditable(event.target)) return;
      event.preventDefault();
      input.current?.select();
    };
    window.addEventListener("keydown", begin);
    return () => window.removeEventListener("keydown", begin);
  }, []);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (pending !== null || !isSearch) show(pending ?? shown, isSearch);
    document.getElementById("main")?.focus({ preventScroll: true });
  };
  return (
    <form role="search" className="search" action={addressOf.search} onSubmit={submit}>
      <input
        ref={input}
        type="search"
        name="q"
        value={pending ?? shown}
        onChange={({ target }) => setTyped({ text: target.value, key })}
        placeholder="Search"
        aria-label="Search the posts"
        aria-describedby="search-hint"
        aria-keyshortcuts="/"
        autoComplete="off"
        enterKeyHint="search"
        maxLength={200}
      />
      <kbd aria-hidden="true">/</kbd>
      <span className="unseen" id="search-hint">
        Results are shown while you type.
      </span>
    </form>
  );
}

function show(text: string, isSearch: boolean): void {
  (isSearch ? replaceWith : goTo)(addressOf.searchFor(text));
}

function isEditable(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches("input, textarea, select, [contenteditable]");
}

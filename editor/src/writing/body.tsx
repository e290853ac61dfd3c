// A text as the server renders it. The rule: the server has sanitised the HTML; this file only adds what this page needs.
import { useLayoutEffect, useRef } from "react";
import { onServer } from "../media/address";

interface Props {
  html: string;
  /** The address of the text on the site, which relative addresses in it refer to. */
  address?: string | null | undefined;
}

export function Body({ html, address }: Props) {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (place.current) show(place.current, prepare(html, address ?? `${window.location.origin}/posts/any`));
  }, [html, address]);
  return <div className="prose" ref={place} />;
}

/** Replaces only the blocks that differ, so that a text that is being written does not jump, and its pictures do not load again. */
function show(place: Element, next: Element): void {
  const [old, now] = [[...place.childNodes], [...next.childNodes]];
  const most = Math.min(old.length, now.length);
  const isSame = (from: number) => old.at(from)?.isEqualNode(now.at(from) ?? null);
  let start = 0;
  while (start < most && isSame(start)) start += 1;
  let end = 0;
  while (end < most - start && isSame(-1 - end)) end += 1;
  const after = old[old.length - end] ?? null;
  old.slice(start, old.length - end).forEach((block) => block.remove());
  now.slice(start, now.length - end).forEach((block) => place.insertBefore(block, after));
}

function prepare(html: string, base: string): Element {
  const text = new DOMParser().parseFromString(html, "text/html");
  for (const attribute of ["src", "href"]) {
    text.querySelectorAll(`[${attribute}]`).forEach((element) => resolve(element, attribute, base));
  }
  // A link must not replace the editor, which may hold text that is not saved.
  text.querySelectorAll("a[href]:not([href^='#'])").forEach((link) => {
    link.setAttribute("target", "_blank");
    link.setAttribute("rel", "noreferrer");
  });
  text.querySelectorAll<HTMLImageElement>("img[srcset]").forEach((image) => image.setAttribute("srcset", image.srcset.split(", ").map(onServer).join(", ")));
  text.querySelectorAll("img").forEach((image) => image.setAttribute("loading", "lazy"));
  text.querySelectorAll("pre").forEach((block) => block.setAttribute("tabindex", "0"));
  text.querySelectorAll("table").forEach(makeScrollable);
  // Markdown makes each cell of the first row a heading cell; an empty one is not a heading.
  text.querySelectorAll("th:empty").forEach((cell) => cell.replaceWith(text.createElement("td")));
  text.querySelectorAll("input[type=checkbox]").forEach((box) => {
    box.setAttribute("aria-label", box.hasAttribute("checked") ? "Done" : "To do");
  });
  return text.body;
}

function resolve(element: Element, attribute: string, base: string): void {
  const written = element.getAttribute(attribute) ?? "";
  const here = onServer(written);
  if (here !== written || written.startsWith("/assets/")) {
    element.setAttribute(attribute, here);
  } else if (!written.startsWith("#") && URL.canParse(written, base)) {
    element.setAttribute(attribute, new URL(written, base).href);
  }
}

/** Lets a wide table scroll separately from the page, also by keyboard. */
function makeScrollable(table: Element): void {
  const frame = table.ownerDocument.createElement("div");
  frame.className = "wide";
  frame.tabIndex = 0;
  frame.setAttribute("role", "group");
  frame.setAttribute("aria-label", "Table");
  table.replaceWith(frame);
  frame.append(table);
}

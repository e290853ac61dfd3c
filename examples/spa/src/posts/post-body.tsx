// A post's text. The rule: the server has sanitised the HTML; here it only gets what a page of this site needs.
import { useMemo } from "react";
import { addressOf } from "../routing/addresses";
import { followWithin } from "../routing/link";

export function PostBody({ html }: { html: string }) {
  const prepared = useMemo(() => ({ __html: prepare(html) }), [html]);
  // The links in it are links; the handler only keeps them from loading the whole site anew.
  // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions
  return <div className="prose" onClick={followWithin} dangerouslySetInnerHTML={prepared} />;
}

function prepare(html: string): string {
  const text = new DOMParser().parseFromString(html, "text/html");
  for (const attribute of ["src", "href"]) {
    text.querySelectorAll(`[${attribute}]`).forEach((element) => resolve(element, attribute));
  }
  text.querySelectorAll("img").forEach((image) => image.setAttribute("loading", "lazy"));
  text.querySelectorAll("pre").forEach((block) => block.setAttribute("tabindex", "0"));
  text.querySelectorAll("table").forEach(makeScrollable);
  // Markdown makes a heading of each cell of the first row; an empty one heads nothing.
  text.querySelectorAll("th:empty").forEach((cell) => cell.replaceWith(text.createElement("td")));
  text.querySelectorAll("input[type=checkbox]").forEach((box) => {
    box.setAttribute("aria-label", box.hasAttribute("checked") ? "Done" : "To do");
  });
  return text.body.innerHTML;
}

/** What is written relative to a post leads to the same place in a preview and in the editor. */
function resolve(element: Element, attribute: string): void {
  const written = element.getAttribute(attribute) ?? "";
  const base = new URL(addressOf.post("any"), window.location.origin);
  if (!written.startsWith("#") && URL.canParse(written, base)) {
    element.setAttribute(attribute, new URL(written, base).href);
  }
}

/** A wide table scrolls by itself, by keyboard too. */
function makeScrollable(table: Element): void {
  const frame = table.ownerDocument.createElement("div");
  frame.className = "wide";
  frame.tabIndex = 0;
  frame.setAttribute("role", "group");
  frame.setAttribute("aria-label", "Table");
  table.replaceWith(frame);
  frame.append(table);
}

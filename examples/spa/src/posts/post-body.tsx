// A post's text. The rule: the server has sanitised the HTML; this file only adds what a page of this site needs.
import { useEffect, useMemo } from "react";
import { isAsset, onServer } from "../graphql/server";
import { addressOf, decoded } from "../routing/addresses";
import { followWithin } from "../routing/link";
import { noteOf } from "../routing/place";
import type { Words } from "../ui/words";

export function PostBody({ html, words }: { html: string; words: Words }) {
  const prepared = useMemo(() => ({ __html: prepare(html, words) }), [html, words]);
  useEffect(showAddressedPart, [prepared]);
  // The links in the text are real links; the handler only prevents them from reloading the whole site.
  // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions
  return <div className="prose" onClick={followWithin} dangerouslySetInnerHTML={prepared} />;
}

/** The browser looks for the part of the page that the address names (#part) before the text is there. The way back has a position of its own. */
function showAddressedPart(): void {
  const part = decoded(window.location.hash.slice(1));
  if (part && noteOf("scroll") === undefined) document.getElementById(part)?.scrollIntoView();
}

function prepare(html: string, words: Words): string {
  const text = new DOMParser().parseFromString(html, "text/html");
  for (const attribute of ["src", "href"]) {
    text.querySelectorAll(`[${attribute}]`).forEach((element) => resolve(element, attribute));
  }
  text.querySelectorAll<HTMLImageElement>("img[srcset]").forEach((image) => image.setAttribute("srcset", image.srcset.split(", ").map(onServer).join(", ")));
  text.querySelectorAll("img").forEach((image) => image.setAttribute("loading", "lazy"));
  text.querySelectorAll("pre").forEach((block) => block.setAttribute("tabindex", "0"));
  text.querySelectorAll("table").forEach((table) => makeScrollable(table, words.table));
  // Markdown makes each cell of the first row a heading cell; an empty one is not a heading.
  text.querySelectorAll("th:empty").forEach((cell) => cell.replaceWith(text.createElement("td")));
  text.querySelectorAll("input[type=checkbox]").forEach((box) => {
    box.setAttribute("aria-label", box.hasAttribute("checked") ? words.done : words.toDo);
  });
  return text.body.innerHTML;
}

/** Makes relative addresses absolute, so that they have the same target on the post's page, in a preview. */
function resolve(element: Element, attribute: string): void {
  const written = element.getAttribute(attribute) ?? "";
  if (isAsset(written)) {
    element.setAttribute(attribute, onServer(written));
    return;
  }
  const base = new URL(addressOf.post("any"), window.location.origin);
  if (!written.startsWith("#") && URL.canParse(written, base)) {
    element.setAttribute(attribute, new URL(written, base).href);
  }
}

/** Lets a wide table scroll separately from the page, also by keyboard. */
function makeScrollable(table: Element, label: string): void {
  const frame = table.ownerDocument.createElement("div");
  frame.className = "wide";
  frame.tabIndex = 0;
  frame.setAttribute("role", "group");
  frame.setAttribute("aria-label", label);
  table.replaceWith(frame);
  frame.append(table);
}

// A text as the server renders it. The rule: the server has sanitised the HTML; this file only adds what this page needs.
import { useMemo } from "react";
import { onServer } from "../media/address";

interface Props {
  html: string;
  /** The address of the text on the site, which relative addresses in it refer to. */
  address?: string | null | undefined;
}

export function Body({ html, address }: Props) {
  const prepared = useMemo(() => ({ __html: prepare(html, address ?? `${window.location.origin}/posts/any`) }), [html, address]);
  return <div className="prose" dangerouslySetInnerHTML={prepared} />;
}

function prepare(html: string, base: string): string {
  const text = new DOMParser().parseFromString(html, "text/html");
  for (const attribute of ["src", "href"]) {
    text.querySelectorAll(`[${attribute}]`).forEach((element) => resolve(element, attribute, base));
  }
  // A link must not replace the editor, which may hold text that is not saved.
  text.querySelectorAll("a[href]:not([href^='#'])").forEach((link) => {
    link.setAttribute("target", "_blank");
    link.setAttribute("rel", "noreferrer");
  });
  text.querySelectorAll("img").forEach((image) => image.setAttribute("loading", "lazy"));
  text.querySelectorAll("pre").forEach((block) => block.setAttribute("tabindex", "0"));
  text.querySelectorAll("table").forEach(makeScrollable);
  // Markdown makes each cell of the first row a heading cell; an empty one is not a heading.
  text.querySelectorAll("th:empty").forEach((cell) => cell.replaceWith(text.createElement("td")));
  text.querySelectorAll("input[type=checkbox]").forEach((box) => {
    box.setAttribute("aria-label", box.hasAttribute("checked") ? "Done" : "To do");
  });
  return text.body.innerHTML;
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

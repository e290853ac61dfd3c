// Rich text that is pasted, as Markdown. The rule: HTML without a form that Markdown knows is pasted as its text, and so is every element that it does not know.
import TurndownService from "turndown";

const FORMS = "a[href], strong, b, em, i, h1, h2, h3, h4, h5, h6, ul, ol, blockquote, table, pre, code, img";
/** Google Docs puts everything into such an element. */
const NOT_BOLD = "b[style*='font-weight:normal'], b[style*='font-weight: normal']";
/** A picture in the HTML itself would be the longest part of the text; a relative address is of the page that was copied. */
const isShown = (image: Element) => /^https?:/i.test(image.getAttribute("src") ?? "");

const service = new TurndownService({ headingStyle: "atx", bulletListMarker: "-", codeBlockStyle: "fenced", emDelimiter: "*" })
  .remove(["head", "script", "style", "template", "title"] as TurndownService.Filter)
  .addRule("strikethrough", { filter: ["del", "s"], replacement: (content) => `~~${content}~~` })
  .addRule("cell", { filter: ["td", "th"], replacement: (content) => ` ${content.trim().replace(/\s*\n\s*/g, " ").replaceAll("|", "\\|")} |` })
  .addRule("row", {
    filter: "tr",
    replacement: (content, row) => {
      const isFirst = row === (row as Element).closest("table")?.querySelector("tr");
      return `|${content}\n${isFirst ? `|${" --- |".repeat((row as Element).children.length)}\n` : ""}`;
    },
  })
  .addRule("rows", { filter: ["thead", "tbody", "tfoot"], replacement: (content) => content })
  .addRule("table", { filter: "table", replacement: (content) => `\n\n${content.trim()}\n\n` });

/** Null if the HTML has nothing but text. */
export function markdownOfHtml(html: string): string | null {
  // Nothing of such a document is loaded or run.
  const { body } = new DOMParser().parseFromString(html, "text/html");
  for (const element of body.querySelectorAll(NOT_BOLD)) element.replaceWith(...element.childNodes);
  for (const image of body.querySelectorAll("img")) if (!isShown(image)) image.remove();
  return body.querySelector(FORMS) ? service.turndown(body) : null;
}

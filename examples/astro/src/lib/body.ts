// A body as a page of this site shows it. The rule: the server has sanitised the HTML; this file only changes the tags that it names.
import { addressOf } from "./addresses";
import type { Words } from "./words";
import type { Picture } from "../tidings/pictures";
import type { BodyData } from "../tidings/documents";

/** A whole tag. The server writes attributes between double quotes and `<` in texts as `&lt;`, so that nothing in a text or an attribute is taken for a tag. */
const TAG = /<(\/?)([a-z][a-z0-9]*)((?:\s[^\s"'<>/=]+(?:="[^"]*")?)*)\s*\/?>/g;
const TOP = 2;

export function prepared({ html, headings }: BodyData, pictures: Map<string, Picture>, words: Words): string {
  const highest = Math.min(...headings.map(({ level }) => level), 6);
  const shift = headings.length > 0 ? TOP - highest : 0;
  // Of the heading before: no level may be left out, also if a body begins with a lower one.
  let level = TOP - 1;
  return html
    .replaceAll(/<th([^>]*)><\/th>/g, "<td$1></td>")
    .replaceAll(TAG, (tag: string, closing: string, name: string, attributes: string) => {
      switch (name) {
        // The title of the page is its only `h1`.
        case "h1":
        case "h2":
        case "h3":
        case "h4":
        case "h5":
        case "h6":
          if (!closing) level = Math.min(6, level + 1, Number(name.slice(1)) + shift);
          return `<${closing}h${level}${attributes}>`;
        // What scrolls on its own must be reached by the keyboard too.
        case "pre":
          return closing ? tag : `<pre tabindex="0"${attributes}>`;
        case "table":
          return closing ? "</table></div>" : `<div class="wide" tabindex="0" role="group" aria-label="${words.table}"><table${attributes}>`;
        case "input":
          return `<input${attributes} aria-label="${/\schecked\b/.test(attributes) ? words.done : words.toDo}">`;
        case "img":
          return image(attributes, pictures);
        case "a":
          return closing ? tag : `<a${attributes.replace(/\shref="(\/assets\/[^"]*)"/, (_, path: string) => ` href="${ownAddress(path)}"`)}>`;
        default:
          return tag;
      }
    });
}

function image(attributes: string, pictures: Map<string, Picture>): string {
  const source = /\ssrc="([^"]*)"/.exec(attributes)?.[1] ?? "";
  const picture = pictures.get(source);
  if (!picture) return `<img${attributes} loading="lazy">`;
  const { src, srcset, width, height, colour } = picture;
  const others = attributes.replaceAll(/\s(?:src|srcset|sizes|width|height|loading|style)="[^"]*"/g, "");
  const sized = `src="${src}" srcset="${srcset}" sizes="(min-width: 46rem) 42rem, 100vw" width="${width}" height="${height}"`;
  return `<img${others} ${sized} loading="lazy" decoding="async" style="background-color: ${colour}">`;
}

function ownAddress(path: string): string {
  return addressOf.asset(path.slice("/assets/".length));
}

/** The entries of a table of contents: the two highest levels of a body. None for a short body. */
export function contentsOf({ headings }: BodyData): { text: string; anchor: string; isBelow: boolean }[] {
  const highest = Math.min(...headings.map(({ level }) => level));
  const entries = headings.filter(({ level, text }) => level < highest + 2 && text !== "");
  return entries.length < 3 ? [] : entries.map(({ level, text, anchor }) => ({ text, anchor, isBelow: level > highest }));
}

// The pictures of the site and the files to which it links: which files it has, and the attributes of an `img`. The rule: the site has its own copy of each
// picture that a page shows and of each file, so that it needs no server once it is built.
import { addressOf } from "../lib/addresses";
import { AVATAR_WIDTHS, WIDTHS } from "../site";
import type { LinkData, PictureData } from "./documents";
import { averageColour } from "./placeholder";

export interface Picture {
  src: string;
  srcset: string;
  width: number;
  height: number;
  alt: string;
  /** To be shown until the picture is there. */
  colour: string;
}

/** The picture of a link to a page, in messages and social networks. */
export interface LinkPicture {
  src: string;
  width: number;
  height: number;
  alt: string;
}

export interface Cover extends Picture {
  ofLink: LinkPicture | null;
}

/** Where a picture as it is or another file is, by the start of its address on the server. */
const ORIGINAL = /\/assets\/([0-9a-f]{40})[-.]/g;

/** The names of the files, each with the path at which the server has it. */
export const files = new Map<string, string>();

/** The ids of the pictures and files that the server has and a body names. */
export function idsIn(html: string): string[] {
  return [...html.matchAll(ORIGINAL)].map(([, hash]) => `asset-${hash}`);
}

export function cover(data: (PictureData & LinkData) | null): Cover | null {
  return data && { ...made(data, WIDTHS), ofLink: ofLink(data) };
}

/** Always a JPEG, whatever the format of the picture is; null for an SVG, which has none. */
export function ofLink({ openGraphImage }: LinkData): LinkPicture | null {
  if (!openGraphImage) return null;
  const { url, width, height, alt } = openGraphImage;
  const name = nameOf(url).replace(/\.\w+\?open-graph=(\d+)$/, "-link-$1.jpg");
  files.set(name, url);
  return { src: addressOf.asset(name), width, height, alt: alt ?? "" };
}

export function avatar(data: PictureData | null): Picture | null {
  return data && made(data, AVATAR_WIDTHS);
}

/** Bodies link to the original, and so do feeds. */
export function inBody(data: PictureData): Picture {
  linked(data.url);
  return made(data, WIDTHS);
}

/** The copy of a file has the name of the file. */
export function linked(url: string): void {
  files.set(nameOf(url), url);
}

function made(data: PictureData, widths: number[]): Picture {
  const largest = Math.max(...widths);
  // `srcset` has each width that the server has of this picture.
  const offered = data.srcset.split(", ").map((candidate) => {
    const [path = data.url, width = ""] = candidate.split(" ");
    return { path, width: Number.parseInt(width, 10) };
  });
  const fitting = offered.filter(({ path, width }) => widths.includes(width) || (path === data.url && width <= largest));
  const chosen = fitting.length > 0 ? fitting : [{ path: data.url, width: data.width }];
  const candidates = chosen.map(({ path, width }) => {
    const name = path === data.url ? nameOf(path) : resized(data.url, width);
    files.set(name, path);
    return { address: addressOf.asset(name), width };
  });
  const best = candidates.reduce((one, other) => (other.width > one.width ? other : one));
  return {
    src: best.address,
    srcset: candidates.map(({ address, width }) => `${address} ${width}w`).join(", "),
    width: best.width,
    height: Math.round((data.height * best.width) / data.width),
    alt: data.alt ?? "",
    colour: averageColour(data.placeholder),
  };
}

function nameOf(url: string): string {
  return url.slice(url.lastIndexOf("/") + 1);
}

/** A web server takes the type of a file from its ending; browsers find out for themselves which type a resized WebP has. */
function resized(url: string, width: number): string {
  const [hash, ending] = nameOf(url).split(".");
  return `${hash}-${width}.${ending === "gif" ? "png" : ending}`;
}

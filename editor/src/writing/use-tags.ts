// The tags of a post and the one that is being typed. The rule: typed text that names an existing tag counts as that tag, whether or not it was added by
// hand; a new tag is created only if the writer says so.
import { useState } from "react";
import { type KnownTag, useAllTags } from "./all-tags";
import type { Typed } from "./use-text";

export interface Tags {
  known: KnownTag[];
  written: string;
  write: (text: string) => void;
  /** The slugs of the added tags, and of the typed one if it exists. */
  all: string[];
  /** What is wrong with the typed text; null before the writer has tried to add it. */
  problem: string | null;
  /** The name of the new tag that the writer can create, if the typed text names no existing one. */
  newName: string | null;
  /** Adds the typed tag if it exists; otherwise reports the problem. */
  take: () => void;
  /** Adds the typed tag as a new one, which is created when the post is saved. */
  create: () => void;
  /** Of these tags, whether the writer chose to create one. */
  mustCreate: (slugs: string[]) => boolean;
}

const UNFIT = "The address of a new tag is made of a to z and 0 to 9: use some of these characters.";

export function useTags({ text, type, markNew }: Pick<Typed, "text" | "type" | "markNew">): Tags {
  const { tags: loaded, error } = useAllTags();
  const known = loaded ?? [];
  const [written, setWritten] = useState("");
  const [isTried, setTried] = useState(false);
  const { tagSlugs: tags } = text.values;
  const newTags = text.newTags;
  const name = written.trim();
  const slug = known.find((tag) => tag.name.toLowerCase() === name.toLowerCase())?.slug ?? slugOf(name);
  const isUnfit = slug === "" && name !== "";
  const isChosen = tags.includes(slug);
  const isKnown = known.some((tag) => tag.slug === slug);
  const all = isKnown && !isChosen ? [...tags, slug] : tags;
  const newName = slug === "" || isKnown || isChosen ? null : name;
  const write = (next: string) => {
    setWritten(next);
    setTried(false);
  };
  const take = () => {
    if (isUnfit || newName !== null) return setTried(true);
    if (all !== tags) type({ tagSlugs: all });
    write("");
  };
  const create = () => {
    type({ tagSlugs: [...tags, slug] });
    markNew(slug);
    write("");
  };
  const missing = loaded || error ? `There is no tag “${name}” yet: choose one from the list, or create it.` : "The tags are still loading.";
  const problem = isUnfit ? UNFIT : isTried && newName !== null ? missing : null;
  const mustCreate = (slugs: string[]) => slugs.some((chosen) => newTags.includes(chosen));
  return { known, written, write, all, problem, newName, take, create, mustCreate };
}

function slugOf(name: string): string {
  const plain = name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  return plain.replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
}

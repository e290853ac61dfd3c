// The tags of a post and the one that is being typed. The rule: the typed text counts as a tag, whether or not it was added by hand.
import { useState } from "react";
import { type KnownTag, useAllTags } from "../posts/all-tags";
import type { Typed } from "./use-text";

export interface Tags {
  known: KnownTag[];
  written: string;
  write: (text: string) => void;
  /** The slugs of the added tags, and of the typed one. */
  all: string[];
  /** Whether no slug can be made from the typed text. */
  isUnfit: boolean;
  /** Adds the typed tag. */
  take: () => void;
}

export function useTags({ text, type }: Pick<Typed, "text" | "type">): Tags {
  const known = useAllTags().tags ?? [];
  const [written, write] = useState("");
  const { tags } = text.values;
  const name = written.trim();
  const slug = known.find((tag) => tag.name.toLowerCase() === name.toLowerCase())?.slug ?? slugOf(name);
  const isNew = slug !== "" && !tags.includes(slug);
  const all = isNew ? [...tags, slug] : tags;
  const isUnfit = slug === "" && name !== "";
  const take = () => {
    if (isUnfit) return;
    if (isNew) type({ tags: all });
    write("");
  };
  return { known, written, write, all, isUnfit, take };
}

function slugOf(name: string): string {
  const plain = name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  return plain.replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
}

import { useSession } from "../session";
import { ContentEditor } from "./content-editor";
import type { Kind } from "./values";

/** `below`: the path of the page that the new one is below. The new post of an author has that author from the start. */
export default function NewContent({ kind, below = "" }: { kind: Kind; below?: string }) {
  const { viewer } = useSession();
  const author = viewer?.author;
  return <ContentEditor kind={kind} content={null} start={{ authorSlugs: author == null ? [] : [author.slug], path: below === "" ? "" : `${below}/` }} />;
}

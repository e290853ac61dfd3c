// Posts that have some tags. The rule: the address contains the whole choice, so that it can be shared.
import { useMemo } from "react";
import { useCountedTags } from "../posts/all-tags";
import { PostList } from "../posts/post-list";
import { postsBy } from "../posts/source";
import { addressOf } from "../routing/addresses";
import { replaceWith } from "../routing/place";
import { Page } from "../ui/page";
import { Empty, Failed } from "../ui/states";

type Match = "all" | "any";

interface Choice {
  tags: string[];
  match: Match;
}

export function FilterPage({ search }: { search: string }) {
  const { tags, match } = useMemo(() => read(search), [search]);
  const source = useMemo(() => postsBy({ tags: match === "all" ? { all: tags } : { any: tags } }), [tags, match]);
  return (
    <Page title="By tags" kind="Filter" intro="The address contains your choice: share it.">
      <div className="filter">
        <TagChoice chosen={tags} onChange={(next) => show({ tags: next, match })} />
        <MatchChoice match={match} onChange={(next) => show({ tags, match: next })} />
      </div>
      {tags.length === 0 ? (
        <Empty>Choose a tag to see its posts.</Empty>
      ) : (
        <PostList key={search} source={source} empty="No post has these tags. Remove one, or choose any of them." />
      )}
    </Page>
  );
}

function TagChoice({ chosen, onChange }: { chosen: string[]; onChange: (chosen: string[]) => void }) {
  const { tags, error, again } = useCountedTags();
  if (error) return <Failed error={error} onRetry={again} />;
  const toggle = (slug: string) => onChange(chosen.includes(slug) ? chosen.filter((other) => other !== slug) : [...chosen, slug]);
  // A tag in the address is shown even if no post has it or it does not exist, so that it can be removed.
  const unknown = tags ? chosen.filter((slug) => !tags.some((tag) => tag.slug === slug)) : [];
  const used = (tags ?? []).filter(({ slug, postCount }) => postCount > 0 || chosen.includes(slug));
  const shown = [...used, ...unknown.map((slug) => ({ slug, name: slug }))];
  return (
    <fieldset className="chips">
      <legend>Tags</legend>
      {shown.map(({ slug, name }) => (
        <label key={slug} className="chip">
          <input type="checkbox" checked={chosen.includes(slug)} onChange={() => toggle(slug)} />
          <span>{name}</span>
        </label>
      ))}
    </fieldset>
  );
}

function MatchChoice({ match, onChange }: { match: Match; onChange: (match: Match) => void }) {
  return (
    <fieldset className="chips">
      <legend>A post has</legend>
      {(["all", "any"] as const).map((value) => (
        <label key={value} className="chip">
          <input type="radio" name="match" checked={match === value} onChange={() => onChange(value)} />
          <span>{value === "all" ? "all of them" : "any of them"}</span>
        </label>
      ))}
    </fieldset>
  );
}

function read(search: string): Choice {
  const asked = new URLSearchParams(search);
  return { tags: [...new Set(asked.getAll("tag"))], match: asked.get("match") === "any" ? "any" : "all" };
}

function show({ tags, match }: Choice): void {
  const asked = new URLSearchParams([...tags.map((tag) => ["tag", tag]), ["match", match]]);
  replaceWith(`${addressOf.filter}?${asked}`);
}

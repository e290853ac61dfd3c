// What a search has found. The field is in the head of every view.
import { textOfSearch } from "../routing/addresses";
import { Results } from "../search/results";
import { Page } from "../ui/page";
import { Empty } from "../ui/states";

export function SearchPage({ search }: { search: string }) {
  const text = textOfSearch(search).trim();
  return (
    <Page title={text === "" ? "Find a post" : `“${text}”`} kind="Search">
      <meta name="robots" content="noindex" />
      {text === "" ? <Empty>Type some words into the field above. Words between quotes are a phrase, and -word leaves out posts that have it.</Empty> : <Results text={text} />}
    </Page>
  );
}

// The view of each address: the first route that matches.
import type { ReactElement } from "react";
import { ArchivePage } from "../pages/archive";
import { FilterPage } from "../pages/filter";
import { LatestPage } from "../pages/latest";
import { MonthPage } from "../pages/month";
import { NotFoundPage } from "../pages/not-found";
import { PostPage } from "../pages/post";
import { PreviewPage } from "../pages/preview";
import { SearchPage } from "../pages/search";
import { AuthorPage, CategoryPage, TagPage } from "../pages/term";
import { decoded } from "./addresses";
import type { Place } from "./place";

type View = (parts: string[], place: Place) => ReactElement;

const ROUTES: [RegExp, View][] = [
  [/^\/$|^\/languages\/[^/]+$/, (_, { path }) => <LatestPage key={path} address={path} />],
  [/^\/posts\/([^/]+)$/, ([slug = ""]) => <PostPage key={slug} slug={slug} />],
  [/^\/tags\/([^/]+)$/, ([slug = ""]) => <TagPage key={slug} slug={slug} />],
  [/^\/categories\/([^/]+)$/, ([slug = ""]) => <CategoryPage key={slug} slug={slug} />],
  [/^\/authors\/([^/]+)$/, ([slug = ""]) => <AuthorPage key={slug} slug={slug} />],
  [/^\/archive$/, () => <ArchivePage />],
  [/^\/archive\/(\d{1,4})$/, ([year]) => <ArchivePage key={year} year={Number(year)} />],
  [
    /^\/archive\/(\d{1,4})\/(0?[1-9]|1[0-2])$/,
    ([year, month]) => <MonthPage key={`${year}-${month}`} year={Number(year)} month={Number(month)} />,
  ],
  [/^\/filter$/, (_, { search }) => <FilterPage search={search} />],
  [/^\/search$/, (_, { search }) => <SearchPage search={search} />],
  [/^\/preview\/([^/]+)$/, ([slug = ""]) => <PreviewPage key={slug} slug={slug} />],
];

export function viewOf(place: Place): ReactElement {
  for (const [pattern, view] of ROUTES) {
    const found = pattern.exec(place.path);
    const parts = found?.slice(1).map(decoded);
    if (parts && !parts.includes(null)) return view(parts as string[], place);
  }
  return <NotFoundPage />;
}

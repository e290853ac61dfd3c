// The view of each address: the first route that matches.
import { type ReactElement, lazy } from "react";
import { Desk } from "../lists/desk";
import { PagesPage } from "../lists/pages";
import { PostsPage } from "../lists/posts";
import { TermsPage, isKind } from "../lists/terms";
import { MediaPage } from "../media/media-page";
import { NotFound } from "../ui/states";
import { decoded } from "./addresses";
import type { Place } from "./place";

// Loaded lazily, because the lists need none of their code.
const AdminPage = lazy(() => import("../admin/admin-page"));
const NewContent = lazy(() => import("../writing/new-content"));
const EditContent = lazy(() => import("../writing/edit-content"));

type View = (parts: string[], place: Place) => ReactElement;

const ROUTES: [RegExp, View][] = [
  [/^\/editor\/?$/, () => <Desk />],
  [/^\/editor\/posts$/, (_, { search }) => <PostsPage search={search} />],
  [/^\/editor\/new$/, (_, { key }) => <NewContent key={key} kind="post" />],
  [/^\/editor\/posts\/([^/]+)$/, ([id = ""]) => <EditContent key={id} id={id} />],
  [/^\/editor\/pages$/, () => <PagesPage />],
  [/^\/editor\/pages\/new$/, (_, { key, search }) => <NewContent key={key} kind="page" below={new URLSearchParams(search).get("below") ?? ""} />],
  [/^\/editor\/pages\/([^/]+)$/, ([id = ""]) => <EditContent key={id} id={id} />],
  [/^\/editor\/media$/, () => <MediaPage />],
  [/^\/editor\/terms\/([^/]+)$/, ([kind = ""]) => (isKind(kind) ? <TermsPage key={kind} kind={kind} /> : <NotFound what="page" />)],
  [/^\/editor\/admin\/([^/]+)(?:\/([^/]+))?$/, ([section = "", id]) => <AdminPage key={section} section={section} id={id} />],
];

export function viewOf(place: Place): ReactElement {
  for (const [pattern, view] of ROUTES) {
    const found = pattern.exec(place.path);
    const parts = found?.slice(1).map((part) => (part === undefined ? part : decoded(part)));
    if (parts && !parts.includes(null)) return view(parts as string[], place);
  }
  return <NotFound what="page" />;
}

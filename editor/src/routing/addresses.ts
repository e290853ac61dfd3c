// Every address of the editor, in one place.
export type AdminSection = "webhooks" | "tokens" | "audit-log";

export const addressOf = {
  desk: "/editor",
  posts: (list: "drafts" | "scheduled" | "published") => `/editor/posts?list=${list}`,
  newPost: "/editor/new",
  edit: (id: string) => `/editor/posts/${encodeURIComponent(id)}`,
  pages: "/editor/pages",
  newPage: (below = "") => `/editor/pages/new${below === "" ? "" : `?below=${encodeURIComponent(below)}`}`,
  editPage: (id: string) => `/editor/pages/${encodeURIComponent(id)}`,
  media: "/editor/media",
  terms: (kind = "tags") => `/editor/terms/${kind}`,
  admin: (section: AdminSection) => `/editor/admin/${section}`,
  webhook: (id: string) => `/editor/admin/webhooks/${encodeURIComponent(id)}`,
  // Browsers do not send what follows the #, so no log of a server has the token.
  preview: (token: string) => `/editor/preview#${token}`,
};

/** A part of an address; null if it is not validly encoded. */
export function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}

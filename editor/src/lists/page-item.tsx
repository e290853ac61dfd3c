// A page in a list, with its address, its state, and whether this browser has text of it that is not saved.
import type { LiHTMLAttributes } from "react";
import type { PageItemFragment } from "../gql/graphql";
import { addressOf } from "../routing/addresses";
import { Link } from "../routing/link";
import { idsOfKeptTexts } from "../writing/kept-text";

interface Props extends LiHTMLAttributes<HTMLLIElement> {
  page: PageItemFragment;
}

export function PageItem({ page, children, ...rest }: Props) {
  return (
    <li {...rest}>
      <Link to={addressOf.editPage(page.id)} draggable={!rest.draggable}>
        {page.title}
      </Link>
      <span className="count">/{page.path}</span>
      {page.status === "PUBLISHED" ? null : <span className="badge">{page.status === "DRAFT" ? "draft" : "scheduled"}</span>}
      {idsOfKeptTexts().includes(page.id) ? <span className="badge">not saved</span> : null}
      {children}
    </li>
  );
}

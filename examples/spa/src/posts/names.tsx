// Authors, categories or tags in a row, each a link.
import { Fragment } from "react";
import { Link } from "../routing/link";

interface Props {
  label: string;
  items: { id: string; slug: string; name: string }[];
  address: (slug: string) => string;
  className?: string;
}

export function Names({ label, items, address, className = "names" }: Props) {
  if (items.length === 0) return null;
  return (
    <span className={className}>
      <span className="unseen">{label} </span>
      {items.map((item, place) => (
        <Fragment key={item.id}>
          {place > 0 ? <span className="comma">, </span> : null}
          <Link to={address(item.slug)}>{item.name}</Link>
        </Fragment>
      ))}
    </span>
  );
}

// Authors, categories or tags in a row, each a link.
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
      {items.map((item) => (
        <Link key={item.id} to={address(item.slug)}>
          {item.name}
        </Link>
      ))}
    </span>
  );
}

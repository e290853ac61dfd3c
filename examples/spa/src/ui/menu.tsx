// The menu that the operator of the server has set. The rule: the link to the page that is shown says so, also to screen readers.
import { Link } from "../routing/link";

interface Item {
  label: string;
  url: string;
}

interface Props {
  items: (Item & { children: Item[] })[];
}

export function Menu({ items }: Props) {
  if (items.length === 0) return null;
  return (
    <nav className="menu" aria-label="Menu">
      <ul>
        {items.map((item) => (
          <li key={keyOf(item)}>
            <MenuLink label={item.label} url={item.url} />
            {item.children.length === 0 ? null : (
              <ul>
                {item.children.map((child) => (
                  <li key={keyOf(child)}>
                    <MenuLink label={child.label} url={child.url} />
                  </li>
                ))}
              </ul>
            )}
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** A path is a page of this site. */
function MenuLink({ label, url }: Item) {
  return url.startsWith("/") ? <Link to={url}>{label}</Link> : <a href={url}>{label}</a>;
}

function keyOf({ label, url }: Item): string {
  return `${label} ${url}`;
}

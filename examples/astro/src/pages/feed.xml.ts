// The Atom feed of the newest posts, as the server writes it.
import { feed } from "../lib/feed";

export async function GET() {
  return feed("/feed.xml");
}

// Whole lists, page by page. The rule: a page is as large as the server allows.
import { Refused } from "./client";

const FIRST_MAX = 100;
/** What the server answers if a page needs more storage requests, or has more text, than it allows. */
const TOO_MUCH = ["QUERY_TOO_COMPLEX", "ANSWER_TOO_LARGE"];

interface Connection<Node> {
  nodes: Node[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

export async function all<Node>(read: (page: { first: number; after: string | null }) => Promise<Connection<Node>>): Promise<Node[]> {
  const found: Node[] = [];
  let first = FIRST_MAX;
  let after: string | null = null;
  for (;;) {
    try {
      const { nodes, pageInfo }: Connection<Node> = await read({ first, after });
      found.push(...nodes);
      if (!pageInfo.hasNextPage) return found;
      after = pageInfo.endCursor;
    } catch (error) {
      const canBeSmaller = error instanceof Refused && error.codes.some((code) => TOO_MUCH.includes(code)) && first > 1;
      if (!canBeSmaller) throw error;
      first = Math.floor(first / 2);
    }
  }
}

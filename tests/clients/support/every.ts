// The expected lists of all clients: the slugs of all published posts, fetched in one request without a client library.
export async function everySlug(filter?: string): Promise<string[]> {
  const query = `{ posts(first: 100${filter ? `, filter: ${filter}` : ''}) { nodes { slug } } }`;
  const response = await fetch(process.env.TIDINGS_URL!, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  const { data } = (await response.json()) as { data: { posts: { nodes: { slug: string }[] } } };
  return data.posts.nodes.map(({ slug }) => slug);
}

// What the lists of all clients are held to: the slugs of all published posts, asked for at once and without a client.
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

// A fetch that notes what is sent and answered. The rule: it changes nothing.
export type Exchange = { method: string; status: number; hasText: boolean; hasName: boolean; code: string | undefined };

export function noting(seen: Exchange[]): typeof fetch {
  return async (target, init) => {
    const response = await fetch(target, init);
    const url = new URL(String(target));
    const sent = init?.body ? JSON.parse(String(init.body)) : Object.fromEntries(url.searchParams);
    const extensions = typeof sent.extensions === 'string' ? JSON.parse(sent.extensions) : sent.extensions;
    const answer = await response.clone().json();
    seen.push({
      method: init?.method ?? 'GET',
      status: response.status,
      hasText: Boolean(sent.query),
      hasName: Boolean(extensions?.persistedQuery ?? sent.documentId ?? sent.doc_id),
      code: answer.errors?.[0]?.extensions?.code,
    });
    return response;
  };
}

// Short forms of what was seen: the method, what was sent, and the code.
export function brief(seen: Exchange[]): string[] {
  return seen.map(({ method, status, hasText, hasName, code }) =>
    [method, hasName && 'name', hasText && 'text', status, code].filter(Boolean).join(' '));
}

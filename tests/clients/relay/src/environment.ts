// The network and the store. The rule: an answer without data throws an exception with the code of its first error.
import { Environment, type FetchFunction, Network, RecordSource, Store } from 'relay-runtime';

export class RequestFailed extends Error {
  constructor(message: string, readonly code: string) {
    super(message);
  }
}

export function makeEnvironment(url: string, token?: string, fetcher: typeof fetch = fetch): Environment {
  const ask: FetchFunction = async ({ text: query }, variables) => {
    const response = await fetcher(url, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/graphql-response+json',
        ...(token && { Authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify({ query, variables }),
    });
    const answer = await response.json();
    if (!answer.data) throw new RequestFailed(answer.errors[0].message, answer.errors[0].extensions.code);
    return answer;
  };
  return new Environment({ network: Network.create(ask), store: new Store(new RecordSource()) });
}

// The drafts that a token has access to. The rule: directives in the mutations update the store, and no list is fetched again.
import { useState } from 'react';
import { ConnectionHandler, graphql, useLazyLoadQuery, useMutation } from 'react-relay';
import { ROOT_ID } from 'relay-runtime';
import type { DraftsCreate } from './__generated__/DraftsCreate.graphql';
import type { DraftsDelete } from './__generated__/DraftsDelete.graphql';
import type { DraftsQuery } from './__generated__/DraftsQuery.graphql';
import type { DraftsRename } from './__generated__/DraftsRename.graphql';
import { PostLine } from './PostLine';

const connections = [ConnectionHandler.getConnectionID(ROOT_ID, 'Drafts_draftPosts')];

export function Drafts() {
  const [status, setStatus] = useState('');
  const { draftPosts } = useLazyLoadQuery<DraftsQuery>(
    graphql`
      query DraftsQuery {
        draftPosts(first: 20) @connection(key: "Drafts_draftPosts") {
          edges {
            node { id version ...PostLine_post }
          }
        }
      }
    `,
    {},
  );
  const [create] = useMutation<DraftsCreate>(graphql`
    mutation DraftsCreate($input: CreatePostInput!, $connections: [ID!]!) {
      createPost(input: $input) {
        post @prependNode(connections: $connections, edgeTypeName: "PostEdge") { id version ...PostLine_post }
        userErrors { code message }
      }
    }
  `);
  const [rename] = useMutation<DraftsRename>(graphql`
    mutation DraftsRename($input: UpdatePostInput!) {
      updatePost(input: $input) {
        post { id version title }
        userErrors { code message }
      }
    }
  `);
  const [remove] = useMutation<DraftsDelete>(graphql`
    mutation DraftsDelete($input: DeleteInput!, $connections: [ID!]!) {
      deletePost(input: $input) {
        deletedId @deleteEdge(connections: $connections)
        userErrors { code message }
      }
    }
  `);
  const edges = draftPosts?.edges ?? [];
  const first = edges[0]?.node;
  const showCodes = (errors: readonly { code: string }[]) => setStatus(errors.map(({ code }) => code).join(' '));
  return (
    <>
      <p role="status">{status}</p>
      <ol>{edges.map(({ node }) => <PostLine key={node.id} post={node} />)}</ol>
      <button onClick={() => create({ variables: { input: { title: 'By Relay', markdown: 'Text.' }, connections } })}>New</button>
      {first && (
        <>
          <button
            onClick={() =>
              rename({
                variables: { input: { id: first.id, expectedVersion: first.version, title: 'Renamed' } },
                onCompleted: ({ updatePost }) => showCodes(updatePost?.userErrors ?? []),
              })
            }
          >
            Rename
          </button>
          <button
            onClick={() =>
              rename({
                variables: { input: { id: first.id, expectedVersion: first.version - 1, title: 'Too late' } },
                onCompleted: ({ updatePost }) => showCodes(updatePost?.userErrors ?? []),
              })
            }
          >
            Rename an old version
          </button>
          <button onClick={() => remove({ variables: { input: { id: first.id, expectedVersion: first.version }, connections } })}>Delete</button>
        </>
      )}
    </>
  );
}

// One post of a list.
import { graphql, useFragment } from 'react-relay';
import type { PostLine_post$key } from './__generated__/PostLine_post.graphql';

export function PostLine({ post }: { post: PostLine_post$key }) {
  const { slug, title } = useFragment(
    graphql`
      fragment PostLine_post on Post {
        slug
        title
      }
    `,
    post,
  );
  return <li title={title}>{slug}</li>;
}

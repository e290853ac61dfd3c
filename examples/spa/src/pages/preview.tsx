// A draft, shown to anyone who has its link.
import { useQuery } from "urql";
import { PreviewQuery } from "../posts/documents";
import { WholePost, WholePostToCome } from "../posts/whole-post";
import { useTitle } from "../ui/page";
import { FailedView } from "../ui/states";
import { NotFoundPage } from "./not-found";

export function PreviewPage({ token }: { token: string }) {
  const [{ data, error }, again] = useQuery({ query: PreviewQuery, variables: { token }, requestPolicy: "network-only" });
  const post = data?.preview;
  useTitle(post ? `Preview: ${post.title}` : undefined);
  if (error && !post) return <FailedView error={error} onRetry={() => again({ requestPolicy: "network-only" })} />;
  if (!data) return <WholePostToCome />;
  if (!post) return <NotFoundPage what="post any more" />;
  return <WholePost post={post} notice={<p className="notice">A preview of the post in its current state. Anyone who has the link can see it.</p>} />;
}

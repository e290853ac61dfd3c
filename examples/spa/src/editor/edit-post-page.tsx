import { useOnce } from "../graphql/use-once";
import { NotFoundPage } from "../pages/not-found";
import { useSession } from "../session/session";
import { FailedView, Loading } from "../ui/states";
import { EditedPostQuery } from "./documents";
import { PostEditor } from "./post-editor";
import { SignIn } from "./sign-in";

export default function EditPostPage({ id }: { id: string }) {
  const { token } = useSession();
  return token === null ? <SignIn /> : <EditPost id={id} />;
}

function EditPost({ id }: { id: string }) {
  const { data, error, again } = useOnce(EditedPostQuery, { id });
  if (error && !data?.node) return <FailedView error={error} onRetry={again} />;
  if (!data) return <Loading what="the post" />;
  const post = data.node;
  if (!post || !("version" in post)) return <NotFoundPage what="post" />;
  return <PostEditor post={post} authors={[]} />;
}

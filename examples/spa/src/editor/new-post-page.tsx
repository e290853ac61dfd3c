import { useOnce } from "../graphql/use-once";
import { useSession } from "../session/session";
import { Loading } from "../ui/states";
import { ViewerQuery } from "./documents";
import { PostEditor } from "./post-editor";
import { SignIn } from "./sign-in";

export default function NewPostPage() {
  const { token } = useSession();
  return token === null ? <SignIn /> : <NewPost />;
}

/** The new post of an author has that author from the start. */
function NewPost() {
  const { data, error } = useOnce(ViewerQuery, {});
  if (!data && !error) return <Loading what="the editor" />;
  const author = data?.viewer?.author;
  return <PostEditor post={null} authors={author == null ? [] : [author.slug]} />;
}

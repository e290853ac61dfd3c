// The start page of writers: sign-in, then drafts, scheduled and published posts.
import { useSession } from "../session/session";
import { Desk } from "./desk";
import { SignIn } from "./sign-in";

export default function DeskPage() {
  const { token } = useSession();
  return token === null ? <SignIn /> : <Desk />;
}

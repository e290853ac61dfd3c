// Where writers start: to sign in, then drafts, what is scheduled, and what is out.
import { useSession } from "../session/session";
import { Desk } from "./desk";
import { SignIn } from "./sign-in";

export default function DeskPage() {
  const { token } = useSession();
  return token === null ? <SignIn /> : <Desk />;
}

import { addressOf } from "../routing/addresses";
import { Link } from "../routing/link";
import { Page } from "../ui/page";

export function NotFoundPage({ what = "page" }: { what?: string }) {
  return (
    <Page title="Not here" kind="404">
      <div className="empty">
        <p>There is no {what} at this address. It may have been taken down, or the address may be mistyped.</p>
        <p>
          <Link to={addressOf.latest}>The latest posts</Link>, or <Link to={addressOf.archive}>everything by month</Link>.
        </p>
      </div>
    </Page>
  );
}

// A link within the site. The rule: it is a real link, so that browsers can open it in another tab and copy it, and screen readers announce it as a link.
import type { AnchorHTMLAttributes, MouseEvent } from "react";
import { goTo, usePlace } from "./place";

interface Props extends AnchorHTMLAttributes<HTMLAnchorElement> {
  to: string;
}

export function Link({ to, children, ...rest }: Props) {
  const { path, search } = usePlace();
  const current = path + search === to ? ({ "aria-current": "page" } as const) : {};
  return (
    <a {...rest} {...current} href={to} onClick={followWithin}>
      {children}
    </a>
  );
}

/** Handles a click anywhere within some HTML: follows a link of this site without reloading the page. */
export function followWithin(event: MouseEvent<HTMLElement>): void {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
  if (!link || !isPlain || event.defaultPrevented || link.target || link.hasAttribute("download")) return;
  const isHere = link.pathname === window.location.pathname && link.search === window.location.search && link.hash !== "";
  if (link.origin !== window.location.origin || isHere) return;
  event.preventDefault();
  goTo(link.pathname + link.search + link.hash);
}

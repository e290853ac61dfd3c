// A view's heading and the title of its tab.
import { type ReactNode, useEffect } from "react";


export function useTitle(title: string | undefined): void {
  useEffect(() => {
    if (title !== undefined) document.title = `${title} · Tidings`;
  }, [title]);
}

interface Props {
  title: string;
  /** The kind of view, shown above the heading. */
  kind?: string;
  intro?: ReactNode;
  /** The main thing to do here, beside the heading. */
  action?: ReactNode;
  children: ReactNode;
}

export function Page({ title, kind, intro, action, children }: Props) {
  useTitle(title);
  return (
    <div className="page">
      <header className="page-head">
        <div>
          {kind === undefined ? null : <p className="kind">{kind}</p>}
          <h1>{title}</h1>
          {intro === undefined ? null : <div className="intro">{intro}</div>}
        </div>
        {action}
      </header>
      {children}
    </div>
  );
}

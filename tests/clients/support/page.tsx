// A page without a browser. The rule: a test waits for visible text; the error of a timeout shows the text of the page.
import { Window } from 'happy-dom';
import type { ReactNode } from 'react';
import { createRoot } from 'react-dom/client';

const PATIENCE_MS = 20_000;

const window = new Window();
Object.assign(globalThis, { window, document: window.document });

export type Page = {
  body: HTMLElement;
  press(label: string): void;
  waitFor(what: string, isThere: () => boolean): Promise<void>;
  close(): void;
};

export function show(node: ReactNode): Page {
  const body = document.createElement('main');
  const root = createRoot(body);
  root.render(node);
  const waitFor = async (what: string, isThere: () => boolean) => {
    for (const end = Date.now() + PATIENCE_MS; !isThere(); ) {
      if (Date.now() > end) throw new Error(`timeout while waiting for ${what}; the page shows: ${body.textContent}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  return {
    body,
    waitFor,
    press(label) {
      const button = [...body.querySelectorAll('button')].find(({ textContent }) => textContent === label);
      if (!button) throw new Error(`no button ${label}; the page shows: ${body.textContent}`);
      button.click();
    },
    close: () => root.unmount(),
  };
}

/** The state of one browser. */
export const browser = { isDraft: false, cookies: new Map<string, string>() };

export async function draftMode() {
  return {
    isEnabled: browser.isDraft,
    enable() {
      browser.isDraft = true;
    },
  };
}

interface CookieOptions {
  httpOnly?: boolean;
  secure?: boolean;
  sameSite?: 'lax' | 'strict' | 'none';
  path?: string;
}

export async function cookies() {
  return {
    get(name: string): { name: string; value: string } | undefined {
      const value = browser.cookies.get(name);
      return value === undefined ? undefined : { name, value };
    },
    set(name: string, value: string, options: CookieOptions) {
      if (!options.httpOnly) throw new Error(`a script could read ${name}`);
      browser.cookies.set(name, value);
    },
  };
}

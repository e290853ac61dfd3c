// Sends a file to the server. The rule: the writer sees how much of it has arrived, and why it is refused.
import { HEADERS } from "../graphql/client";

export interface Uploaded {
  id: string;
  url: string;
  contentType: string;
  version: number;
  width?: number;
  height?: number;
  alt?: string | null;
}

export class Refused extends Error {
  constructor(
    message: string,
    readonly code: string,
  ) {
    super(message);
  }
}

/** `XMLHttpRequest`, because `fetch` does not report the progress of what it sends. */
export function upload(file: File, alt: string, onProgress: (part: number) => void): Promise<Uploaded> {
  const asked = new URLSearchParams({ name: file.name, ...(alt !== "" && { alt }) });
  const request = new XMLHttpRequest();
  request.open("POST", `/assets?${asked}`);
  Object.entries(HEADERS).forEach(([name, value]) => request.setRequestHeader(name, value));
  request.upload.addEventListener("progress", ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total));
  return new Promise((resolve, reject) => {
    request.addEventListener("error", () => reject(new Refused("The server is out of reach. Check your connection, then try again.", "NETWORK")));
    request.addEventListener("load", () => {
      const answer = parsed(request.responseText);
      if (answer?.asset) resolve(answer.asset);
      else reject(new Refused(answer?.errors?.[0]?.message ?? `The server answered with ${request.status}.`, answer?.errors?.[0]?.extensions.code ?? "UNKNOWN"));
    });
    request.send(file);
  });
}

function parsed(text: string): { asset?: Uploaded; errors?: { message: string; extensions: { code: string } }[] } | null {
  try {
    return JSON.parse(text) as ReturnType<typeof parsed>;
  } catch {
    return null;
  }
}

export function isPicture(contentType: string): boolean {
  return contentType.startsWith("image/");
}

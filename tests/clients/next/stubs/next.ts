// The types of `next` that the site uses. The rule of this folder: a signature is the one of the documentation of Next.js 15 and 16, or a part of it.
export interface NextConfig {
  images?: { loader?: 'custom' | 'default'; loaderFile?: string; deviceSizes?: number[]; imageSizes?: number[] };
  rewrites?: () => Promise<{ source: string; destination: string }[]>;
}

export interface Metadata {
  title?: string;
  description?: string;
  alternates?: { canonical?: string };
  openGraph?: { images?: { url: string; width?: number; height?: number }[] };
}

declare global {
  interface RequestInit {
    next?: { revalidate?: number | false; tags?: string[] };
  }
}

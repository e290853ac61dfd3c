import type { NextConfig } from 'next';

const config: NextConfig = {
  images: {
    loader: 'custom',
    loaderFile: './src/lib/picture-loader.ts',
    // Together the widths that Tidings serves, so that next/image asks for no other.
    deviceSizes: [640, 960, 1280, 1600, 1920, 2560],
    imageSizes: [160, 320, 480],
  },
  // The pictures have the address of the site, also those in the HTML of a post.
  rewrites: async () => [{ source: '/assets/:name', destination: `${process.env.TIDINGS_ORIGIN}/assets/:name` }],
};

export default config;

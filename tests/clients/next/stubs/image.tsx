import config from '../next.config';
import loader from '../src/lib/picture-loader';

interface ImageProps {
  src: string;
  alt: string;
  width: number;
  height: number;
  sizes?: string;
  priority?: boolean;
}

/** With `sizes`, next/image offers every width of the configuration. */
export default function Image({ src, alt, width, height, sizes }: ImageProps) {
  const widths = [...(config.images?.imageSizes ?? []), ...(config.images?.deviceSizes ?? [])];
  const srcSet = widths.map((each) => `${loader({ src, width: each })} ${each}w`).join(', ');
  return <img src={loader({ src, width: widths.at(-1) ?? width })} srcSet={srcSet} sizes={sizes} alt={alt} width={width} height={height} />;
}

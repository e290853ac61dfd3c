// The picture that represents a post.
import { onServer } from "../graphql/server";
import type { PictureFragment } from "../gql/graphql";

interface Props {
  picture: PictureFragment;
  /** How wide the page shows it, by which a browser chooses from `srcset`. */
  sizes: string;
  /** It is at the top of the page, so that it is loaded at once. */
  isFirst?: boolean;
}

export function Cover({ picture, sizes, isFirst = false }: Props) {
  const { url, srcset, width, height, alt, placeholder } = picture;
  return (
    <img
      className="cover"
      src={onServer(url)}
      srcSet={srcset.split(", ").map(onServer).join(", ")}
      sizes={sizes}
      width={width}
      height={height}
      alt={alt ?? ""}
      loading={isFirst ? "eager" : "lazy"}
      decoding="async"
      style={{ backgroundColor: averageColour(placeholder) }}
    />
  );
}

/**
 * The colour of a picture until it is loaded. A ThumbHash (https://evanw.github.io/thumbhash/) begins with it: lightness in 6 bits, and two differences of
 * colours in 6 bits each.
 */
function averageColour(thumbHash: string): string {
  const [low = 0, middle = 0, high = 0] = [...atob(thumbHash)].map((byte) => byte.charCodeAt(0));
  const bits = low | (middle << 8) | (high << 16);
  const lightness = (bits & 63) / 63;
  const yellowness = ((bits >> 6) & 63) / 31.5 - 1;
  const redness = ((bits >> 12) & 63) / 31.5 - 1;
  const blue = lightness - (2 / 3) * yellowness;
  const red = (3 * lightness - blue + redness) / 2;
  return `rgb(${percent(red)} ${percent(red - redness)} ${percent(blue)})`;
}

function percent(part: number): string {
  return `${Math.round(100 * Math.min(1, Math.max(0, part)))}%`;
}

// The picture that represents a post or a page.
import type { PictureFragment } from "../gql/graphql";
import { onServer } from "./address";
import { positionOf } from "./focal-point";

export function Cover({ picture }: { picture: PictureFragment }) {
  const { url, width, height, alt, focalPoint } = picture;
  return <img className="cover" src={onServer(url)} width={width} height={height} alt={alt ?? ""} style={{ objectPosition: positionOf(focalPoint) }} />;
}

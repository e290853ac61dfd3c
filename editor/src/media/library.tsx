// The pictures and files of the site, newest first, for a dialog to choose from and for the page that manages them.
import type { ReactNode } from "react";
import { AssetsQuery } from "./documents";
import type { StoredFragment } from "../gql/graphql";
import { Paged } from "../lists/paged";
import { Empty } from "../ui/states";
import { onServer } from "./address";
import { positionOf } from "./focal-point";

interface Props {
  picturesOnly?: boolean;
  children: (asset: StoredFragment) => ReactNode;
}

export function Library({ picturesOnly = false, children }: Props) {
  return (
    <Paged query={AssetsQuery} asked={{}} connectionOf={(data) => data.assets} empty={<Empty>There are no pictures or files yet.</Empty>}>
      {(assets) => (
        <ul className="library">
          {assets
            .filter((asset) => !picturesOnly || "thumbnail" in asset)
            .map((asset) => (
              <li key={asset.id}>{children(asset)}</li>
            ))}
        </ul>
      )}
    </Paged>
  );
}

/** Its name is beside it, so that screen readers say it once. */
export function Thumbnail({ asset }: { asset: StoredFragment }) {
  if (!("thumbnail" in asset)) return (
    <span className="no-thumbnail" aria-hidden="true">
      {asset.url.split(".").at(-1)}
    </span>
  );
  return <img src={onServer(asset.thumbnail)} alt="" loading="lazy" width={asset.width} height={asset.height} style={{ objectPosition: positionOf(asset.focalPoint) }} />;
}

export function titleOf(asset: StoredFragment): string {
  const alt = "alt" in asset ? asset.alt : null;
  return alt ?? asset.originalName ?? asset.url.split("/").at(-1) ?? asset.id;
}

// What the head of the document says of a view, for search engines and for links in messages (Open Graph). React moves these elements into the head.
interface Props {
  title: string;
  description?: string | null | undefined;
  /** The address of the page on the site, if the server knows the site. */
  address?: string | null | undefined;
  type?: "website" | "article";
  /** The picture for a link to the page; its address is a path of the server, which has the origin of the site. */
  image?: { url: string; width: number; height: number; alt?: string | null } | null | undefined;
}

export function Head({ title, description, address, type = "website", image }: Props) {
  return (
    <>
      <meta property="og:title" content={title} />
      <meta property="og:type" content={type} />
      {description ? <meta name="description" content={description} /> : null}
      {description ? <meta property="og:description" content={description} /> : null}
      {address ? <link rel="canonical" href={address} /> : null}
      {address ? <meta property="og:url" content={address} /> : null}
      {image ? <meta property="og:image" content={window.location.origin + image.url} /> : null}
      {image ? <meta property="og:image:width" content={String(image.width)} /> : null}
      {image ? <meta property="og:image:height" content={String(image.height)} /> : null}
      {image?.alt ? <meta property="og:image:alt" content={image.alt} /> : null}
    </>
  );
}

// What the head of the document says of a view, for search engines and for links in messages (Open Graph). React moves these elements into the head.
interface Props {
  title: string;
  description?: string | null | undefined;
  /** The address of the page on the site, if the server knows the site. */
  address?: string | null | undefined;
  type?: "website" | "article";
}

export function Head({ title, description, address, type = "website" }: Props) {
  return (
    <>
      <meta property="og:title" content={title} />
      <meta property="og:type" content={type} />
      {description ? <meta name="description" content={description} /> : null}
      {description ? <meta property="og:description" content={description} /> : null}
      {address ? <link rel="canonical" href={address} /> : null}
      {address ? <meta property="og:url" content={address} /> : null}
    </>
  );
}

//! A site of the form of Astro's starters: a content collection with dates in words and pictures beside the content, MDX, and the documentation of Starlight.

pub const FILES: &[(&str, &str)] = &[
    ("package.json", "{\"name\": \"harbour\"}\n"),
    (
        "src/pages/about.md",
        "---\nlayout: ../layouts/Base.astro\ntitle: 'About'\n---\nSee [the first boat](/blog/first-boat/) and [the guide](/guides/rope/).\n",
    ),
    (
        "src/content/blog/first-boat.md",
        "---\ntitle: 'First boat'\ndescription: 'It floats'\npubDate: 'Jul 08 2022'\nheroImage: '../../assets/boat.png'\n---\nIt floats, as [the second](./second-boat.md) does.\n\n![The quay](../../assets/quay.png) ![Public](/public.png)\n",
    ),
    (
        "src/content/blog/second-boat.md",
        "---\ntitle: Second boat\ndescription: |\n  It floats, too,\n  on water.\npubDate: 'July 15 2022'\nupdatedDate: 'Aug 01 2022'\ntags:\n  - Boats\n  - Wood\nimage:\n  src: '../../assets/quay.png'\n  alt: 'The quay.'\nversionNumber: '1.0'\nimg: /public.png\nimg_alt: A picture\n---\n[Back](first-boat.md), [home](/) and [the anchor](#deep-water).\n\n### Deep water\n",
    ),
    (
        "src/content/blog/using-mdx.mdx",
        "---\ntitle: 'Using MDX'\ndescription: 'Components'\npubDate: '2024-06-01 00:00:00'\nheroImage: '~/assets/mdx.png'\n---\nA flavor of Markdown.\n\nimport Link from '../../components/Link.astro';\n\n<Link href=\"#\">\n\tInside of a component\n</Link>\n\nMore in [the first post](./first-boat.md), [the docs](https://mdxjs.com).\n\nexport const a = {\n  b: 1,\n};\n\nThe end.\n",
    ),
    (
        "src/content/docs/index.mdx",
        "---\ntitle: Welcome\ndescription: Start here.\ntemplate: splash\nhero:\n  tagline: Sail away!\n  image:\n    file: ../../assets/hero.png\n  actions:\n    - text: Guide\n      link: /guides/rope/\n      icon: forward\n---\nimport { Aside } from '@astrojs/starlight/components';\n\n<Aside title=\"Next\">\n\nRead [the guide](./guides/rope.md).\n\n</Aside>\n\n<Card title=\"Knots\" icon=\"star\">\n\nAnd [the knots](./reference/knots.md).\n\n</Card>\n\n<Grid>\n\t<Card\n\t\ttitle=\"Rope\"\n\t\ticon=\"anchor\"\n\t>\n\t\tOf [hemp](./guides/rope.md), as\n\t\tseen:\n\n\t\t- ![A hull](../../assets/boat.png)\n\t</Card>\n</Grid>\n\n<Aside>And [a bowline](./reference/knots.md)</Aside>\n\n<Icon.Star />\n\n<Code code={source} lang=\"js\" />\n\nThen `<Card>`.\n",
    ),
    (
        "src/content/docs/guides/rope.md",
        "---\ntitle: A rope\ndescription: A guide.\nsidebar:\n  order: 2\n  badge: New\nlastUpdated: 2024-06-02\neditUrl: false\n---\nRead [the reference](/docs/reference/knots/), or [nothing](/nothing/).\n",
    ),
    (
        "src/content/docs/reference/knots.md",
        "---\ntitle: Knots\nslug: reference/knots\nhead:\n  - tag: title\n    content: Knots of sailors\n---\n:::note\nOf [ropes](../guides/rope.md#use).\n:::\n",
    ),
];

pub const PICTURES: &[&str] =
    &["src/assets/boat.png", "src/assets/quay.png", "src/assets/mdx.png", "src/assets/hero.png", "public/public.png"];

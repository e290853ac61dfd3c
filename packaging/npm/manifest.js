// Prints the package.json of a package of a release. The rule: the launcher depends on exactly its own version of each platform's package.
//
//   node manifest.js platform VERSION PLATFORM       the package with the binary of one platform
//   node manifest.js launcher VERSION PLATFORM...    the package `tidings`

const [kind, version, ...platforms] = process.argv.slice(2);
const description =
  "A GraphQL content server for blogs, news and docs. Stores content in a local file or in Azure Table Storage.";
const common = { version, license: "MIT OR Apache-2.0" };

function platformPackage(platform) {
  const [os, cpu] = platform.split("-");
  return {
    name: `tidings-${platform}`,
    description: `${description} The binary for ${platform}.`,
    ...common,
    os: [os],
    cpu: [cpu],
    files: ["tidings"],
  };
}

function launcher() {
  return {
    name: "tidings",
    description,
    keywords: ["graphql", "blog", "cms", "relay"],
    ...common,
    bin: { tidings: "tidings.js" },
    files: ["tidings.js"],
    engines: { node: ">=18" },
    optionalDependencies: Object.fromEntries(platforms.map((platform) => [`tidings-${platform}`, version])),
  };
}

const made = { platform: () => platformPackage(platforms[0]), launcher }[kind];
console.log(JSON.stringify(made(), null, 2));

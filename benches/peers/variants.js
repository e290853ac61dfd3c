// What is measured. The rule: data only, and nothing from a package, so that the list can be printed before anything is installed.
//
// `store` names how run/stores.js fills the store; `dialect` which documents of queries.js the server understands. A setting of Tidings that changes
// its speed is measured by one more line here, with its variable in `settings`. The tables give the ratios to the variants in `comparedWith`.

const TIDINGS = { dialect: "tidings", server: "tidings", settings: {} };

/** In the order of the tables. */
export const VARIANTS = [
  { ...TIDINGS, name: "tidings-file", title: "Tidings, file", store: "file", writes: true, comparedWith: ["maps", "yoga", "axum"] },
  {
    ...TIDINGS,
    name: "tidings-executed",
    title: "Tidings, file, answers not cached",
    store: "file",
    settings: { TIDINGS_LIMITS_ANSWER_CACHE_BYTES: "0" },
    comparedWith: ["maps", "yoga", "axum"],
  },
  { ...TIDINGS, name: "tidings-azurite", title: "Tidings, Azurite", store: "azurite", writes: true, comparedWith: ["tidings-file", "apollo", "apollo-cached"] },
  {
    ...TIDINGS,
    name: "tidings-azurite-executed",
    title: "Tidings, Azurite, answers not cached",
    store: "azurite",
    settings: { TIDINGS_LIMITS_ANSWER_CACHE_BYTES: "0" },
    comparedWith: ["tidings-executed", "apollo", "apollo-cached"],
  },
  { name: "maps", title: "async-graphql over plain maps", server: "maps", store: "none", dialect: "tidings" },
  { name: "axum", title: "axum, the same bytes", server: "bytes", store: "none", dialect: "tidings" },
  { name: "yoga", title: "GraphQL Yoga + SQLite (Node)", server: "yoga", store: "sqlite", dialect: "tidings", writes: true },
  { name: "postgraphile", title: "PostGraphile + PostgreSQL", server: "postgraphile", store: "postgres", dialect: "postgraphile" },
  { name: "apollo", title: "Apollo Server + @azure/data-tables, Azurite", server: "apollo", store: "peer-azurite", dialect: "tidings", cacheSeconds: 0 },
  { name: "apollo-cached", title: "the same, terms cached for 60 s", server: "apollo", store: "peer-azurite", dialect: "tidings", cacheSeconds: 60 },
];

/** Those of `--quick`. */
export const QUICK_VARIANTS = ["tidings-file", "tidings-executed", "maps", "axum", "yoga"];

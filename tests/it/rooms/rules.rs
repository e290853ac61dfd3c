//! The map as a table. The rule: whoever changes an arrow changes `src/lib.rs` beside it, which says what the rooms are for.

/// What the files below a path may reach into, beside their own room.
pub struct Rule {
    pub from: &'static str,
    pub to: &'static [&'static str],
    /// What the reader of a failure should know.
    pub because: &'static str,
}

/// Words that have a place, and no other.
pub struct Ban {
    /// Paths below `src/`; the empty one is everything.
    pub within: &'static [&'static str],
    pub except: &'static [&'static str],
    /// Whole identifiers; comments and strings do not count.
    pub words: &'static [&'static str],
    pub because: &'static str,
}

pub const ROOMS: [&str; 15] = [
    "cli",
    "app",
    "config",
    "telemetry",
    "http",
    "graphql",
    "loaders",
    "import",
    "export",
    "content",
    "keys",
    "store",
    "oidc",
    "clock",
    "model",
];

const ONE_WAY: &str = "arrows go cli → app → http → graphql → loaders → content → keys → store";

pub const ARROWS: &[Rule] = &[
    Rule { from: "main.rs", to: &["cli"], because: "main only parses and dispatches" },
    Rule { from: "lib.rs", to: &[], because: "lib.rs is the map and nothing else" },
    // `schema` prints the contract without a store, so it asks graphql itself.
    Rule {
        from: "cli/",
        to: &["app", "config", "telemetry", "import", "export", "graphql", "content", "model"],
        because: "commands go through app to what serves, and never to the rows",
    },
    Rule {
        from: "app.rs",
        to: &["config", "telemetry", "clock", "http", "graphql", "content", "store"],
        because: "app puts together; what is put together does not know app",
    },
    // Settings are parsed into the types of those who take them: a store's settings, the editor's token, the limits of HTTP.
    Rule {
        from: "config/",
        to: &["store", "graphql", "http", "oidc", "telemetry"],
        because: "settings are read before anything is there that could be used",
    },
    Rule {
        from: "telemetry/",
        to: &[],
        because: "the log, the metrics and the traces know none of those who write to them",
    },
    Rule { from: "clock.rs", to: &["model"], because: "the clock answers an instant, and asks no one" },
    Rule {
        from: "http/",
        to: &["graphql", "telemetry", "model"],
        because: "http knows the schema by its service alone, and never touches store or keys",
    },
    Rule {
        from: "graphql/",
        to: &["loaders", "content", "oidc", "telemetry", "model"],
        because: "resolvers only translate: they read through loaders and content, never from store or keys",
    },
    Rule { from: "loaders/", to: &["content", "telemetry", "model"], because: ONE_WAY },
    Rule { from: "import/", to: &["model"], because: "reading files is pure; only import/run.rs meets the content" },
    Rule {
        from: "import/run.rs",
        to: &["content", "telemetry", "model"],
        because: "an import writes as any writer does, through content",
    },
    // What an export writes is what an import reads: the records have one definition.
    Rule {
        from: "export.rs",
        to: &["content", "import", "model"],
        because: "an export reads as any reader does, through content",
    },
    Rule {
        from: "content/",
        to: &["keys", "store", "clock", "telemetry", "model"],
        because: "content knows neither GraphQL nor HTTP",
    },
    Rule {
        from: "content/write/plan/",
        to: &["keys", "store", "model"],
        because: "a plan is a pure function: no clock, tests are tables of input and output",
    },
    Rule {
        from: "content/commands.rs",
        to: &["model"],
        because: "what an editor asks for is judged by itself, before anything is read",
    },
    Rule { from: "keys/", to: &["store", "model"], because: "a key is a pure function of the model" },
    Rule {
        from: "oidc/",
        to: &["model"],
        because: "it knows whom a token is about, and nothing of what that one may do",
    },
    Rule {
        from: "store/",
        // The clock is compared with that of the storage.
        to: &["telemetry", "clock", "model"],
        because: "a store knows rows: neither posts nor what a key means",
    },
    Rule { from: "model/", to: &[], because: "the model imports nothing of ours" },
];

pub const BANS: &[Ban] = &[
    Ban {
        within: &["model/", "keys/", "content/commands.rs", "content/write/plan/"],
        except: &[],
        words: &["async", "await", "tokio", "Clock", "SystemTime"],
        because: "the core is pure: nothing waits, nothing asks for the time",
    },
    Ban {
        within: &[""],
        except: &["graphql/", "http/"],
        words: &["async_graphql", "async_graphql_value"],
        because: "errors and types have no protocol until the edge",
    },
    Ban {
        within: &[""],
        except: &["http/", "app.rs"],
        words: &["axum", "hyper", "hyper_util", "tower", "tower_http"],
        because: "only http knows HTTP; app hands its router on",
    },
    Ban {
        within: &[""],
        except: &["store/azure/"],
        words: &["azure_core", "azure_data_tables", "azure_identity", "azure_storage"],
        because: "the SDK lives in store/azure, behind the contract",
    },
    Ban {
        within: &[""],
        except: &["store/azure/", "oidc/", "telemetry/traces.rs"],
        words: &["reqwest"],
        because: "the server asks its storage, its identity provider and who takes its traces, and no one else",
    },
    Ban {
        within: &[""],
        except: &["telemetry/"],
        words: &[
            "prometheus_client",
            "opentelemetry",
            "opentelemetry_otlp",
            "opentelemetry_sdk",
            "tracing_opentelemetry",
        ],
        because: "the words of metrics and traces have one home",
    },
    Ban {
        within: &[""],
        except: &["oidc/"],
        words: &["jsonwebtoken"],
        because: "what a JWT is worth is found out in one place",
    },
    Ban {
        within: &[""],
        except: &["oidc/", "content/tokens/secret.rs"],
        words: &["ring"],
        because: "secrets are hashed, signed and compared in one place",
    },
    Ban {
        within: &[""],
        except: &["store/embedded/"],
        words: &["redb"],
        because: "the engine lives in store/embedded",
    },
    Ban { within: &[""], except: &["loaders/"], words: &["dataloader"], because: "batches are made in loaders" },
    Ban {
        within: &[""],
        except: &["cli/", "main.rs"],
        words: &["clap", "indicatif"],
        because: "only cli meets a terminal",
    },
];

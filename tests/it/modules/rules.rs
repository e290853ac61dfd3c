//! The dependency rules as tables. The rule: a change of a dependency here also changes the module overview in `src/lib.rs`, which says what
//! each module is for.

/// The modules that the files below a path may use, beside their own.
pub struct Rule {
    pub from: &'static str,
    pub to: &'static [&'static str],
    /// The reason, shown in the message of a failure.
    pub because: &'static str,
}

/// Words that are allowed in some modules only.
pub struct Ban {
    /// Paths as in `files.rs`; the empty one matches every file.
    pub within: &'static [&'static str],
    pub except: &'static [&'static str],
    /// Whole identifiers; comments and strings do not count.
    pub words: &'static [&'static str],
    pub because: &'static str,
}

pub const MODULES: [&str; 23] = [
    "cli",
    "app",
    "assets",
    "backup",
    "config",
    "telemetry",
    "http",
    "graphql",
    "loaders",
    "import",
    "ingest",
    "export",
    "content",
    "keys",
    "store",
    "oidc",
    "purge",
    "webhooks",
    "jobs",
    "clock",
    "model",
    "testing",
    "views",
];

const OF_TABLES: &str = "the account of a container is read as that of the tables, by store/azure";
const ONE_WAY: &str = "dependencies go cli → app → http → graphql → loaders → content → keys → store";

pub const DEPENDENCIES: &[Rule] = &[
    Rule { from: "main.rs", to: &["cli"], because: "main only parses and dispatches" },
    Rule { from: "lib.rs", to: &[], because: "lib.rs is the module overview and nothing else" },
    // `tidings schema` needs no server, so it uses graphql itself.
    Rule {
        from: "cli/",
        to: &["app", "backup", "config", "telemetry", "import", "ingest", "export", "graphql", "content", "model"],
        because: "commands start the server through app and never access rows",
    },
    Rule {
        from: "app/",
        to: &[
            "assets",
            "backup",
            "config",
            "telemetry",
            "clock",
            "http",
            "graphql",
            "jobs",
            "purge",
            "content",
            "store",
            "views",
            "model",
        ],
        because: "app composes the modules; they do not know app",
    },
    // Settings are parsed into the types of the modules that use them: a store's settings, the editor's token, the limits of HTTP.
    Rule {
        from: "config/",
        to: &["assets", "backup", "store", "graphql", "http", "oidc", "purge", "telemetry", "model"],
        because: "settings are read before any other part of the server exists",
    },
    Rule {
        from: "telemetry/",
        to: &[],
        because: "the log, the metrics and the traces do not know the modules that write to them",
    },
    Rule { from: "clock.rs", to: &["model"], because: "the clock returns an instant and needs nothing else" },
    Rule { from: "assets/", to: &["model"], because: "it knows pictures and their bytes, and no rows" },
    Rule { from: "assets/place.rs", to: &["store", "model"], because: OF_TABLES },
    Rule { from: "assets/error.rs", to: &["store", "model"], because: OF_TABLES },
    Rule { from: "assets/cloud/azure.rs", to: &["store", "model"], because: OF_TABLES },
    Rule {
        from: "backup/",
        to: &["assets", "content", "keys", "store", "clock", "model"],
        because: "a backup copies rows and bytes, and asks content only to check what it has copied",
    },
    Rule {
        from: "http/",
        // It notes at which instants its answers end; and bytes pass between the client and their store, without the schema.
        to: &["assets", "graphql", "oidc", "purge", "telemetry", "views", "model"],
        because: "http uses the schema only as a service and never touches store or keys",
    },
    Rule {
        from: "graphql/",
        // What a client has left of its limit changes with the time.
        to: &["assets", "loaders", "content", "oidc", "clock", "telemetry", "model"],
        because: "resolvers only translate: they read through loaders and content, never from store or keys",
    },
    Rule { from: "loaders/", to: &["content", "telemetry", "model"], because: ONE_WAY },
    Rule { from: "import/", to: &["model"], because: "the readers are pure, and a crate of their own" },
    Rule {
        from: "ingest/",
        to: &["assets", "content", "import", "telemetry", "model"],
        because: "an import writes through content, like every other writer",
    },
    // An export writes the records that an import reads: they have one definition.
    Rule {
        from: "export/",
        to: &["assets", "content", "import", "model"],
        because: "an export reads through content, like every other reader",
    },
    Rule {
        from: "content/",
        to: &["assets", "keys", "store", "clock", "telemetry", "views", "model"],
        because: "content knows neither GraphQL nor HTTP",
    },
    Rule {
        from: "content/write/plan/",
        to: &["keys", "store", "model"],
        because: "a plan is a pure function without a clock; its tests are tables of input and output",
    },
    Rule {
        from: "content/commands/",
        to: &["model"],
        because: "a command is validated on its own, before anything is read",
    },
    Rule { from: "keys/", to: &["store", "model"], because: "a key is a pure function of the model" },
    Rule {
        from: "oidc/",
        to: &["model"],
        because: "oidc identifies the subject of a token and does not decide what the subject may do",
    },
    Rule {
        from: "store/",
        // The store compares the clock with the clock of the storage.
        to: &["telemetry", "clock", "model"],
        because: "a store knows rows, but neither posts nor the meaning of a key",
    },
    Rule {
        from: "purge/",
        to: &["content", "clock", "telemetry", "model"],
        because: "purges name what the content reports, and know nothing of answers",
    },
    Rule {
        from: "webhooks/",
        to: &["content", "model"],
        because: "it sends what content has signed, and knows nothing of rows",
    },
    Rule { from: "views.rs", to: &["clock", "model"], because: "it keeps in memory what pages report" },
    Rule {
        from: "jobs/",
        to: &["backup", "content", "purge", "webhooks", "telemetry", "model"],
        because: "a job decides when something is done, and not how",
    },
    Rule { from: "model/", to: &[], because: "the model uses no other module, and is a crate of its own" },
    Rule {
        from: "testing.rs",
        to: &["content"],
        because: "it offers to tests what content keeps private, and no other module uses it",
    },
];

pub const BANS: &[Ban] = &[
    Ban {
        within: &["model/", "keys/", "content/commands/", "content/write/plan/"],
        except: &[],
        words: &["async", "await", "tokio", "Clock", "SystemTime"],
        because: "the core is pure: it does not wait and does not read the time",
    },
    Ban {
        within: &[""],
        except: &["graphql/", "http/"],
        words: &["async_graphql", "async_graphql_value"],
        because: "only the outer layers know the protocol of errors and types",
    },
    Ban {
        within: &[""],
        except: &["http/", "app/mod.rs"],
        words: &["axum", "hyper", "hyper_util", "tower", "tower_http"],
        because: "only http knows HTTP; app passes its router to the server",
    },
    Ban {
        within: &[""],
        except: &["store/azure/"],
        words: &["azure_core", "azure_data_tables", "azure_identity", "azure_storage"],
        because: "only store/azure uses the SDK",
    },
    Ban {
        within: &[""],
        except: &["store/azure/", "assets/cloud/http.rs", "oidc/", "purge/", "telemetry/traces.rs", "webhooks/"],
        words: &["reqwest"],
        because: "the server calls only its storage, its identity provider, its CDN, its trace receiver and its webhooks",
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
        because: "the names of metrics and traces are defined in one module",
    },
    Ban { within: &[""], except: &["oidc/"], words: &["jsonwebtoken"], because: "JWTs are verified in one place" },
    Ban {
        within: &[""],
        // The hashes of a document and of a value of a field are no secrets.
        except: &[
            "assets/hash.rs",
            "oidc/",
            "content/access/secret.rs",
            "graphql/persisted/hash.rs",
            "model/field_index.rs",
        ],
        words: &["ring"],
        because: "secrets are hashed, signed and compared in one place",
    },
    Ban {
        within: &[""],
        except: &["assets/"],
        words: &["object_store", "fast_image_resize", "thumbhash"],
        because: "pictures are decoded, and their bytes stored, in one place",
    },
    Ban {
        within: &[""],
        except: &["store/embedded/"],
        words: &["redb"],
        because: "only store/embedded uses the engine",
    },
    Ban { within: &[""], except: &["loaders/"], words: &["dataloader"], because: "only loaders build batches" },
    Ban {
        within: &[""],
        except: &["cli/", "main.rs"],
        words: &["clap", "indicatif"],
        because: "only cli uses a terminal",
    },
];

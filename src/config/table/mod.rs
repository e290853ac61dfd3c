//! The table of all settings. The rule: every setting is defined here, and tests compare docs/configuration.md, docs/operating.md and
//! packaging/tidings.toml with this table.

pub mod assets;
pub mod cdn;
pub mod fair_use;
pub mod limits;
pub mod site;

use super::setting::{Default, Form, Setting};
use crate::graphql::explain::money;
use crate::http::settings;

const fn text(key: &'static str, variable: &'static str, name: &'static str, about: &'static str) -> Setting {
    Setting { key, variable, flag: None, form: Form::Text(name), default: Default::None, about }
}

const fn secret(key: &'static str, variable: &'static str, name: &'static str, about: &'static str) -> Setting {
    Setting { form: Form::Secret(name), ..text(key, variable, name, about) }
}

const fn items(key: &'static str, variable: &'static str, name: &'static str, about: &'static str) -> Setting {
    Setting { form: Form::Items(name), ..text(key, variable, name, about) }
}

const fn switch(key: &'static str, variable: &'static str, about: &'static str) -> Setting {
    Setting { form: Form::Switch, default: Default::Text("false"), ..text(key, variable, "", about) }
}

const fn number(
    key: &'static str,
    variable: &'static str,
    bounds: (u64, u64),
    default: fn() -> u64,
    about: &'static str,
) -> Setting {
    let form = Form::Number { min: bounds.0, max: bounds.1 };
    Setting { form, default: Default::Number(default), ..text(key, variable, "", about) }
}

/// A number whose default depends on the machine: `about` says how.
const fn number_of_machine(
    key: &'static str,
    variable: &'static str,
    (min, max): (u64, u64),
    about: &'static str,
) -> Setting {
    Setting { form: Form::Number { min, max }, ..text(key, variable, "", about) }
}

impl Setting {
    const fn flag(self, flag: &'static str) -> Self {
        Self { flag: Some(flag), ..self }
    }

    const fn default(self, text: &'static str) -> Self {
        Self { default: Default::Text(text), ..self }
    }
}

pub static STORE: Setting = text(
    "store",
    "TIDINGS_STORE",
    "STORE",
    "Where the content is stored: file:PATH, or azure with a connection string or an account.",
)
.flag("store")
.default("file:tidings-data");
pub static TABLE_PREFIX: Setting = text(
    "table_prefix",
    "TIDINGS_TABLE_PREFIX",
    "PREFIX",
    "A prefix of the names of all tables, for several sites in one account. Letters and digits.",
)
.flag("table-prefix");
pub static AZURE_CONNECTION_STRING: Setting = secret(
    "azure.connection_string",
    "AZURE_STORAGE_CONNECTION_STRING",
    "STRING",
    "For the store azure, and for pictures in az://: the connection string as the portal shows it; UseDevelopmentStorage=true for Azurite.",
);
pub static AZURE_CONNECTION_STRING_FILE: Setting = text(
    "azure.connection_string_file",
    "TIDINGS_AZURE_CONNECTION_STRING_FILE",
    "FILE",
    "A file that contains only the connection string.",
);
pub static AZURE_ACCOUNT: Setting = text(
    "azure.account",
    "AZURE_STORAGE_ACCOUNT",
    "NAME",
    "The same without a connection string: the name of the account, with sign-in by Entra ID.",
);
pub static AZURE_CLIENT_ID: Setting = text(
    "azure.client_id",
    "AZURE_CLIENT_ID",
    "ID",
    "With the account: the client id of a user-assigned managed identity. Not set: the system-assigned one.",
);
pub static AZURE_TABLE_ENDPOINT: Setting = text(
    "azure.table_endpoint",
    "AZURE_STORAGE_TABLE_ENDPOINT",
    "URL",
    "With the account: its table endpoint, if it is in another cloud.",
);
pub static AZURE_BLOB_ENDPOINT: Setting = text(
    "azure.blob_endpoint",
    "AZURE_STORAGE_BLOB_ENDPOINT",
    "URL",
    "With the account: its blob endpoint, for pictures, if it is in another cloud.",
);
pub static LISTEN: Setting =
    text("listen", "TIDINGS_LISTEN", "ADDRESS", "The address and port to listen on. A port alone is one of this machine (127.0.0.1), 0.0.0.0:PORT one of all its networks; port 0 chooses a free port.")
        .flag("listen")
        .default("127.0.0.1:8080");
pub static IMPORT: Setting =
    text("import", "TIDINGS_IMPORT", "PATH", "A folder or file to import before serving.").flag("import");
pub static CREATE: Setting = switch("create", "TIDINGS_CREATE", "Create an empty store if none exists.").flag("create");
pub static READ_ONLY: Setting = switch(
    "read_only",
    "TIDINGS_READ_ONLY",
    "Only read the store file and never write it, such as a copy on a read-only disk. Mutations are refused.",
)
.flag("read-only");
pub static REPORT_STORAGE: Setting = switch(
    "report_storage",
    "TIDINGS_REPORT_STORAGE",
    "Report the cost and the plan of an answer to every client that asks for it (`\"extensions\": {\"storage\": true}`, `GraphQL-Cost`, \
     `GraphQL-Explain`), not only to tokens of the roles reader, editor and admin. The reported rows reveal that a draft exists.",
)
.flag("report-storage");
pub static CORS_ORIGINS: Setting = Setting {
    form: Form::List("ORIGIN"),
    ..text(
        "cors_origins",
        "TIDINGS_CORS_ORIGINS",
        "ORIGIN",
        "Origins whose pages may send requests from a browser, such as https://blog.example, capacitor://localhost, or https://*.blog.example with a * in the first \
         label; * for all. Not set: only the server's own.",
    )
}
.flag("cors-origin");
pub static CORS_HEADERS: Setting = Setting {
    form: Form::List("NAME"),
    ..text(
        "cors_headers",
        "TIDINGS_CORS_HEADERS",
        "NAME",
        "Request headers that pages of these origins may send beside those that Tidings reads. Not set: all that they ask for.",
    )
};
pub static BATCH_MAX: Setting = number(
    "batch_max",
    "TIDINGS_BATCH_MAX",
    (0, settings::BATCH_MAX as u64),
    || 0,
    "The most requests in one body, as an array; 0 refuses arrays.",
)
.flag("batch-max");
pub static CLIENT_ADDRESS_HEADER: Setting = text(
    "client_address_header",
    "TIDINGS_CLIENT_ADDRESS_HEADER",
    "NAME",
    "The header in which the proxy in front writes the client's address last, such as x-forwarded-for. Set it only if clients cannot \
     reach the server without the proxy. Not set: clients are distinguished by the addresses of their connections.",
);
pub static NO_INTROSPECTION: Setting = switch(
    "no_introspection",
    "TIDINGS_NO_INTROSPECTION",
    "Hide the schema: no introspection, no /schema.graphql, and no names in errors that the client did not send.",
)
.flag("no-introspection");
pub static NO_PLAYGROUND: Setting =
    switch("no_playground", "TIDINGS_NO_PLAYGROUND", "Serve no playground at /.").flag("no-playground");
pub static MANIFESTS: Setting = Setting {
    form: Form::List("FILE"),
    ..text(
        "manifests",
        "TIDINGS_MANIFESTS",
        "FILE",
        "Manifests of documents that clients may name by their ids, as graphql-codegen, relay-compiler and Apollo write them. They are read at the start.",
    )
}
.flag("manifest");
pub static MANIFESTS_ONLY: Setting = switch(
    "manifests_only",
    "TIDINGS_MANIFESTS_ONLY",
    "Run no documents but those of the manifests, and serve no playground.",
)
.flag("manifests-only");
pub static EDITOR_TOKEN: Setting = secret(
    "editor_token",
    "TIDINGS_EDITOR_TOKEN",
    "TOKEN",
    "A token with the role admin, in addition to the tokens that `tidings token create` creates.",
);
pub static EDITOR_TOKEN_FILE: Setting =
    text("editor_token_file", "TIDINGS_EDITOR_TOKEN_FILE", "FILE", "A file that contains only the editor token.");
pub static OIDC_ISSUER: Setting =
    text("oidc.issuer", "TIDINGS_OIDC_ISSUER", "URL", "The OpenID provider whose JWTs are accepted.");
pub static OIDC_AUDIENCE: Setting =
    text("oidc.audience", "TIDINGS_OIDC_AUDIENCE", "NAME", "With the issuer: the audience that its JWTs must have.");
pub static OIDC_KEYS: Setting = text(
    "oidc.keys",
    "TIDINGS_OIDC_KEYS",
    "SOURCE",
    "Where the issuer's keys are: the path of a file, or an https URL. Not set: the URL in its discovery document.",
);
pub static OIDC_ROLE_CLAIM: Setting =
    text("oidc.role_claim", "TIDINGS_OIDC_ROLE_CLAIM", "NAME", "The claim that names the role.").default("roles");
pub static OIDC_AUTHOR_CLAIM: Setting =
    text("oidc.author_claim", "TIDINGS_OIDC_AUTHOR_CLAIM", "NAME", "The claim that names the slug of an author.")
        .default("author");
pub static LOG: Setting =
    text("log.directives", "TIDINGS_LOG", "DIRECTIVES", "The log directives, such as info or tidings=debug.")
        .default("info");
pub static LOG_FORMAT: Setting = text(
    "log.format",
    "TIDINGS_LOG_FORMAT",
    "FORMAT",
    "The log format: json, one object per line; pretty, for people; auto, pretty on a terminal and json elsewhere.",
)
.flag("log-format")
.default("auto");
pub static METRICS_LISTEN: Setting = text(
    "metrics.listen",
    "TIDINGS_METRICS_LISTEN",
    "ADDRESS",
    "The address and port of /metrics for Prometheus, separate from the public one. Not set: no metrics are served.",
)
.flag("metrics-listen");
pub static TRACES_ENDPOINT: Setting = text(
    "traces.endpoint",
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "URL",
    "Where traces are sent by OTLP (HTTP, protobuf), such as http://127.0.0.1:4318. Not set: no traces.",
);
pub static TRACES_HEADERS: Setting = secret(
    "traces.headers",
    "OTEL_EXPORTER_OTLP_HEADERS",
    "NAME=VALUE,…",
    "Headers that are sent with the traces, such as an API key of the receiver.",
);
pub static TRACES_HEADERS_FILE: Setting =
    text("traces.headers_file", "TIDINGS_TRACES_HEADERS_FILE", "FILE", "A file that contains only those headers.");
pub static TRACES_SERVICE_NAME: Setting =
    text("traces.service_name", "OTEL_SERVICE_NAME", "NAME", "The name of this server in its traces.")
        .default("tidings");
pub static TRACES_SAMPLER: Setting = text(
    "traces.sampler",
    "OTEL_TRACES_SAMPLER",
    "SAMPLER",
    "Which requests are traced: always_on, always_off or traceidratio, or one of these after parentbased_, which follows the client's \
     traceparent if there is one.",
)
.default("parentbased_always_on");
pub static TRACES_SAMPLER_RATIO: Setting = text(
    "traces.sampler_ratio",
    "OTEL_TRACES_SAMPLER_ARG",
    "RATIO",
    "For the samplers with a ratio: the fraction of the requests that is traced, from 0 to 1.",
)
.default("1");

pub static PRICE_POINT_READS: Setting = text(
    "price.point_reads",
    "TIDINGS_PRICE_POINT_READS",
    "PRICE",
    "The price of 10,000 point reads, for the plan of a request (`GraphQL-Explain: report`).",
)
.default(money::AZURE_PRICE);
pub static PRICE_RANGE_READS: Setting =
    text("price.range_reads", "TIDINGS_PRICE_RANGE_READS", "PRICE", "The price of 10,000 range reads.")
        .default(money::AZURE_PRICE);
pub static PRICE_TRANSACTIONS: Setting =
    text("price.transactions", "TIDINGS_PRICE_TRANSACTIONS", "PRICE", "The price of 10,000 transactions.")
        .default(money::AZURE_PRICE);
pub static PRICE_CURRENCY: Setting =
    text("price.currency", "TIDINGS_PRICE_CURRENCY", "CODE", "The currency of the prices, by ISO 4217.").default("USD");
pub static PRICE_SOURCE: Setting =
    text("price.source", "TIDINGS_PRICE_SOURCE", "SOURCE", "Where the prices are from; shown with them.")
        .default(money::SOURCE);
pub static PRICE_DATE: Setting =
    text("price.date", "TIDINGS_PRICE_DATE", "DATE", "The day of the prices; shown with them.").default(money::DATE);

/// The settings of the store, for every command.
pub static OF_STORE: &[&Setting] = &[
    &STORE,
    &TABLE_PREFIX,
    &AZURE_CONNECTION_STRING,
    &AZURE_CONNECTION_STRING_FILE,
    &AZURE_ACCOUNT,
    &AZURE_CLIENT_ID,
    &AZURE_TABLE_ENDPOINT,
];

/// The place of the pictures, for the commands that read or add some.
pub static OF_PICTURES: &[&Setting] = &[
    &assets::STORE,
    &assets::CONNECTION_STRING,
    &assets::CONNECTION_STRING_FILE,
    &AZURE_BLOB_ENDPOINT,
    &assets::S3_ACCESS_KEY_ID,
    &assets::S3_SECRET_ACCESS_KEY,
    &assets::S3_SECRET_ACCESS_KEY_FILE,
    &assets::S3_REGION,
    &assets::S3_ENDPOINT,
];

/// The fields that the site declares, for the commands that check or show them.
pub static OF_FIELDS: &[&Setting] = &[&site::FIELDS];

/// The settings that only the server has, in addition to its [`limits`] and those of [`fair_use`].
pub static OF_SERVER: &[&Setting] = &[
    &LISTEN,
    &IMPORT,
    &CREATE,
    &READ_ONLY,
    &REPORT_STORAGE,
    &CORS_ORIGINS,
    &CORS_HEADERS,
    &BATCH_MAX,
    &CLIENT_ADDRESS_HEADER,
    &NO_INTROSPECTION,
    &NO_PLAYGROUND,
    &MANIFESTS,
    &MANIFESTS_ONLY,
    &EDITOR_TOKEN,
    &EDITOR_TOKEN_FILE,
    &OIDC_ISSUER,
    &OIDC_AUDIENCE,
    &OIDC_KEYS,
    &OIDC_ROLE_CLAIM,
    &OIDC_AUTHOR_CLAIM,
    &LOG,
    &LOG_FORMAT,
    &METRICS_LISTEN,
    &TRACES_ENDPOINT,
    &TRACES_HEADERS,
    &TRACES_HEADERS_FILE,
    &TRACES_SERVICE_NAME,
    &TRACES_SAMPLER,
    &TRACES_SAMPLER_RATIO,
    &PRICE_POINT_READS,
    &PRICE_RANGE_READS,
    &PRICE_TRANSACTIONS,
    &PRICE_CURRENCY,
    &PRICE_SOURCE,
    &PRICE_DATE,
    &site::URL,
    &site::NAME,
    &site::DESCRIPTION,
    &site::LANGUAGE,
    &site::IMAGE,
    &site::POST_PATH,
    &site::PAGE_PATH,
    &site::TAG_PATH,
    &site::CATEGORY_PATH,
    &site::AUTHOR_PATH,
    &site::SERIES_PATH,
    &site::FEED_CONTENT,
    &site::FEED_POSTS,
    &site::NAVIGATION,
    &site::TIME_ZONE,
    &site::FIELDS,
    &assets::STORE,
    &assets::CONNECTION_STRING,
    &assets::CONNECTION_STRING_FILE,
    &assets::FILE_BYTES,
    &assets::FILE_SECONDS,
    &AZURE_BLOB_ENDPOINT,
    &assets::S3_ACCESS_KEY_ID,
    &assets::S3_SECRET_ACCESS_KEY,
    &assets::S3_SECRET_ACCESS_KEY_FILE,
    &assets::S3_REGION,
    &assets::S3_ENDPOINT,
    &cdn::SECONDS,
    &cdn::STALE_SECONDS,
    &cdn::KIND,
    &cdn::TAG_BYTES,
    &cdn::PURGE_URL,
    &cdn::PURGE_TOKEN,
    &cdn::PURGE_TOKEN_FILE,
];

/// All settings: first those without a section, then section by section, as in the configuration file.
pub fn all() -> Vec<&'static Setting> {
    let mut all: Vec<_> = OF_STORE.iter().chain(OF_SERVER).chain(&limits::ALL).chain(&fair_use::ALL).copied().collect();
    let sections: Vec<_> = all.iter().map(|setting| setting.section().0).collect();
    all.sort_by_key(|setting| {
        let (section, _) = setting.section();
        section.map(|_| sections.iter().position(|other| *other == section))
    });
    all
}

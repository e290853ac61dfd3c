//! The table of all settings. The rule: every setting is defined here, and tests compare docs/configuration.md, docs/operating.md and
//! packaging/tidings.toml with this table.

/// Defines settings, and the list of them in the order of the configuration file.
macro_rules! settings {
    ($(#[$about:meta])* pub static $list:ident; $(pub static $name:ident: Setting = $setting:expr;)+) => {
        $(pub static $name: Setting = $setting;)+
        $(#[$about])*
        pub static $list: &[&Setting] = &[$(&$name),+];
    };
}

pub mod assets;
pub mod cdn;
pub mod fair_use;
pub mod limits;
pub mod site;

use super::setting::{Default, Form, Setting};
use crate::http::settings;

const fn text(key: &'static str, name: &'static str, about: &'static str) -> Setting {
    Setting { key, own_variable: None, flag: None, form: Form::Text(name), default: Default::None, about }
}

const fn secret(key: &'static str, name: &'static str, about: &'static str) -> Setting {
    Setting { form: Form::Secret(name), ..text(key, name, about) }
}

const fn list(key: &'static str, name: &'static str, about: &'static str) -> Setting {
    Setting { form: Form::List(name), ..text(key, name, about) }
}

const fn items(key: &'static str, name: &'static str, about: &'static str) -> Setting {
    Setting { form: Form::Items(name), ..text(key, name, about) }
}

const fn switch(key: &'static str, about: &'static str) -> Setting {
    Setting { form: Form::Switch, default: Default::Text("false"), ..text(key, "", about) }
}

const fn number(key: &'static str, bounds: (u64, u64), default: fn() -> u64, about: &'static str) -> Setting {
    Setting { default: Default::Number(default), ..number_of_machine(key, bounds, about) }
}

/// A number whose default depends on the machine: `about` says how.
const fn number_of_machine(key: &'static str, (min, max): (u64, u64), about: &'static str) -> Setting {
    Setting { form: Form::Number { min, max }, ..text(key, "", about) }
}

impl Setting {
    /// For a variable that other tools read too, or that has another name for other reasons.
    const fn env(self, variable: &'static str) -> Self {
        Self { own_variable: Some(variable), ..self }
    }

    const fn flag(self, flag: &'static str) -> Self {
        Self { flag: Some(flag), ..self }
    }

    const fn default(self, text: &'static str) -> Self {
        Self { default: Default::Text(text), ..self }
    }
}

settings! {
    /// The settings of the store, for every command.
    pub static OF_STORE;
    pub static STORE: Setting = text(
        "store",
        "STORE",
        "Where the content is stored: file:PATH, or azure with a connection string or an account.",
    )
    .flag("store")
    .default("file:tidings-data");
    pub static TABLE_PREFIX: Setting = text(
        "table_prefix",
        "PREFIX",
        "A prefix of the names of all tables, for several sites in one account. Letters and digits.",
    )
    .flag("table-prefix");
    pub static AZURE_CONNECTION_STRING: Setting = secret(
        "azure.connection_string",
        "STRING",
        "For the store azure, and for pictures in az://: the connection string as the portal shows it; UseDevelopmentStorage=true for Azurite.",
    )
    .env("AZURE_STORAGE_CONNECTION_STRING");
    pub static AZURE_CONNECTION_STRING_FILE: Setting =
        text("azure.connection_string_file", "FILE", "A file that contains only the connection string.");
    pub static AZURE_ACCOUNT: Setting = text(
        "azure.account",
        "NAME",
        "The same without a connection string: the name of the account, with sign-in by Entra ID.",
    )
    .env("AZURE_STORAGE_ACCOUNT");
    pub static AZURE_CLIENT_ID: Setting = text(
        "azure.client_id",
        "ID",
        "With the account: the client id of a user-assigned managed identity. Not set: the system-assigned one.",
    )
    .env("AZURE_CLIENT_ID");
    pub static AZURE_TABLE_ENDPOINT: Setting =
        text("azure.table_endpoint", "URL", "With the account: its table endpoint, if it is in another cloud.")
            .env("AZURE_STORAGE_TABLE_ENDPOINT");
}

settings! {
    /// The settings that only the server has, besides those of the modules below.
    pub static OF_SERVER;
    pub static LISTEN: Setting =
        text("listen", "ADDRESS", "The address and port to listen on. A port alone is one of this machine (127.0.0.1), 0.0.0.0:PORT one of all its networks; port 0 chooses a free port.")
            .flag("listen")
            .default("127.0.0.1:8080");
    pub static PUBLIC_URL: Setting = text(
        "public_url",
        "URL",
        "The address at which clients reach this server, such as https://api.blog.example: the addresses of pictures and files are then absolute URLs. Not set: they are paths.",
    )
    .flag("public-url");
    pub static IMPORT: Setting = text("import", "PATH", "A folder or file to import before serving.").flag("import");
    pub static CREATE: Setting = switch("create", "Create an empty store if none exists.").flag("create");
    pub static READ_ONLY: Setting = switch(
        "read_only",
        "Only read the store file and never write it, such as a copy on a read-only disk. Mutations are refused.",
    )
    .flag("read-only");
    pub static REPORT_STORAGE: Setting = switch(
        "report_storage",
        "Report the cost and the plan of an answer to every client that asks for it (`GraphQL-Cost`, `GraphQL-Explain`), not only to tokens of \
         the roles reader, editor and admin. The reported rows reveal that a draft exists.",
    )
    .flag("report-storage");
    pub static CORS_ORIGINS: Setting = list(
        "cors_origins",
        "ORIGIN",
        "Origins whose pages may send requests from a browser, such as https://blog.example, capacitor://localhost, or https://*.blog.example with a * in the first \
         label; * for all. Not set: only the server's own.",
    )
    .flag("cors-origin");
    pub static CORS_HEADERS: Setting = list(
        "cors_headers",
        "NAME",
        "Request headers that pages of these origins may send beside those that Tidings reads. Not set: all that they ask for.",
    );
    pub static BATCH_MAX: Setting = number(
        "batch_max",
        (0, settings::BATCH_MAX as u64),
        || 0,
        "The most requests in one body, as an array; 0 refuses arrays.",
    )
    .flag("batch-max");
    pub static CLIENT_ADDRESS_HEADER: Setting = text(
        "client_address_header",
        "NAME",
        "The header in which the proxy in front writes the client's address last, such as x-forwarded-for. Set it only if clients cannot \
         reach the server without the proxy. Not set: clients are distinguished by the addresses of their connections.",
    );
    pub static NO_INTROSPECTION: Setting = switch(
        "no_introspection",
        "Hide the schema: no introspection, no /schema.graphql, and no names in errors that the client did not send.",
    )
    .flag("no-introspection");
    pub static NO_PLAYGROUND: Setting = switch("no_playground", "Serve no playground at /.").flag("no-playground");
    pub static MANIFESTS: Setting = list(
            "manifests",
            "FILE",
            "Manifests of documents that clients may name by their ids, as graphql-codegen, relay-compiler and Apollo write them. They are read at the start.",
    )
    .flag("manifest");
    pub static MANIFESTS_ONLY: Setting =
        switch("manifests_only", "Run no documents but those of the manifests, and serve no playground.")
            .flag("manifests-only");
    pub static EDITOR_TOKEN: Setting = secret(
        "editor_token",
        "TOKEN",
        "A token with the role admin, in addition to the tokens that `tidings token create` creates.",
    );
    pub static EDITOR_TOKEN_FILE: Setting =
        text("editor_token_file", "FILE", "A file that contains only the editor token.");
    pub static OIDC_ISSUER: Setting = text("oidc.issuer", "URL", "The OpenID provider whose JWTs are accepted.");
    pub static OIDC_AUDIENCE: Setting =
        text("oidc.audience", "NAME", "With the issuer: the audience that its JWTs must have.");
    pub static OIDC_KEYS: Setting = text(
        "oidc.keys",
        "SOURCE",
        "Where the issuer's keys are: the path of a file, or an https URL. Not set: the URL in its discovery document.",
    );
    pub static OIDC_ROLE_CLAIM: Setting =
        text("oidc.role_claim", "NAME", "The claim that names the role.").default("roles");
    pub static OIDC_AUTHOR_CLAIM: Setting =
        text("oidc.author_claim", "NAME", "The claim that names the slug of an author.").default("author");
    pub static LOG: Setting =
        text("log.directives", "DIRECTIVES", "The log directives, such as info or tidings=debug.")
            .default("info")
            .env("TIDINGS_LOG");
    pub static LOG_FORMAT: Setting = text(
        "log.format",
        "FORMAT",
        "The log format: json, one object per line; pretty, for people; auto, pretty on a terminal and json elsewhere.",
    )
    .flag("log-format")
    .default("auto");
    pub static METRICS_LISTEN: Setting = text(
        "metrics.listen",
        "ADDRESS",
        "The address and port of /metrics for Prometheus, separate from the public one. Not set: no metrics are served.",
    )
    .flag("metrics-listen");
    pub static TRACES_ENDPOINT: Setting = text(
        "traces.endpoint",
        "URL",
        "Where traces are sent by OTLP (HTTP, protobuf), such as http://127.0.0.1:4318. Not set: no traces.",
    )
    .env("OTEL_EXPORTER_OTLP_ENDPOINT");
    pub static TRACES_HEADERS: Setting = secret(
        "traces.headers",
        "NAME=VALUE,…",
        "Headers that are sent with the traces, such as an API key of the receiver.",
    )
    .env("OTEL_EXPORTER_OTLP_HEADERS");
    pub static TRACES_HEADERS_FILE: Setting =
        text("traces.headers_file", "FILE", "A file that contains only those headers.");
    pub static TRACES_SERVICE_NAME: Setting =
        text("traces.service_name", "NAME", "The name of this server in its traces.")
            .default("tidings")
            .env("OTEL_SERVICE_NAME");
    pub static TRACES_SAMPLER: Setting = text(
        "traces.sampler",
        "SAMPLER",
        "Which requests are traced: always_on, always_off or traceidratio, or one of these after parentbased_, which follows the client's \
         traceparent if there is one.",
    )
    .default("parentbased_always_on").env("OTEL_TRACES_SAMPLER");
    pub static TRACES_SAMPLER_RATIO: Setting = text(
        "traces.sampler_ratio",
        "RATIO",
        "For the samplers with a ratio: the fraction of the requests that is traced, from 0 to 1.",
    )
    .default("1")
    .env("OTEL_TRACES_SAMPLER_ARG");
}

/// The fields that the site declares, for the commands that check or show them.
pub static OF_FIELDS: &[&Setting] = &[&site::FIELDS];

/// The settings that only the server has, in the order of their descriptions.
pub fn of_server() -> Vec<&'static Setting> {
    [OF_SERVER, site::NEED_URL, site::OTHERS, assets::PLACE, assets::LIMITS, cdn::ALL, limits::ALL, fair_use::ALL]
        .concat()
}

/// All settings: first those without a section, then section by section, as in the configuration file.
pub fn all() -> Vec<&'static Setting> {
    let mut all = [OF_STORE, &of_server()].concat();
    let sections: Vec<_> = all.iter().map(|setting| setting.section().0).collect();
    all.sort_by_key(|setting| {
        let (section, _) = setting.section();
        section.map(|_| sections.iter().position(|other| *other == section))
    });
    all
}

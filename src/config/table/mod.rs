//! The table of all settings. The rule: every setting is defined here, and tests compare docs/configuration.md, docs/operating.md and
//! packaging/tidings.toml with this table.

/// Defines settings, each with its description, and the list of them in the order of the configuration file.
macro_rules! settings {
    ($(#[$about_list:meta])* $list:ident: $($name:ident = $setting:expr, $about:literal;)+) => {
        $(pub static $name: $crate::config::Setting = $crate::config::Setting { about: $about, ..$setting };)+
        $(#[$about_list])*
        pub static $list: &[&$crate::config::Setting] = &[$(&$name),+];
    };
}

pub mod assets;
pub mod backup;
pub mod cdn;
pub mod fair_use;
pub mod limits;
pub mod site;
pub mod views;
pub mod webhooks;

use super::setting::{Default, Form, Setting};
use crate::http::settings;

const fn setting(key: &'static str, form: Form) -> Setting {
    Setting { key, own_variable: None, flag: None, form, default: Default::None, about: "" }
}

const fn text(key: &'static str, name: &'static str) -> Setting {
    setting(key, Form::Text(name))
}

const fn secret(key: &'static str, name: &'static str) -> Setting {
    setting(key, Form::Secret(name))
}

const fn list(key: &'static str, name: &'static str) -> Setting {
    setting(key, Form::List(name))
}

const fn items(key: &'static str, name: &'static str) -> Setting {
    setting(key, Form::Items(name))
}

const fn switch(key: &'static str) -> Setting {
    setting(key, Form::Switch).default("false")
}

const fn number(key: &'static str, bounds: (u64, u64), default: fn() -> u64) -> Setting {
    Setting { default: Default::Number(default), ..number_of_machine(key, bounds) }
}

/// A number whose default depends on the machine; the description explains it.
const fn number_of_machine(key: &'static str, (min, max): (u64, u64)) -> Setting {
    setting(key, Form::Number { min, max })
}

impl Setting {
    /// Sets a variable name that does not follow from the key, for example because other tools read the variable, too.
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
    OF_STORE:
    STORE = text("store", "STORE").flag("store").default("file:tidings-data"),
        "Where the content is stored: file:PATH, or azure with a connection string or an account.";
    TABLE_PREFIX = text("table_prefix", "PREFIX").flag("table-prefix"),
        "A prefix of the names of all tables, for several sites in one account. Letters and digits.";
    AZURE_CONNECTION_STRING = secret("azure.connection_string", "STRING").env("AZURE_STORAGE_CONNECTION_STRING"),
        "For the store azure, and for pictures in az://: the connection string as the portal shows it; UseDevelopmentStorage=true for Azurite.";
    AZURE_CONNECTION_STRING_FILE = text("azure.connection_string_file", "FILE"),
        "A file that contains only the connection string.";
    AZURE_ACCOUNT = text("azure.account", "NAME").env("AZURE_STORAGE_ACCOUNT"),
        "The same without a connection string: the name of the account, with sign-in by Entra ID.";
    AZURE_CLIENT_ID = text("azure.client_id", "ID").env("AZURE_CLIENT_ID"),
        "With the account: the client id of a user-assigned managed identity. Not set: the system-assigned one.";
    AZURE_TABLE_ENDPOINT = text("azure.table_endpoint", "URL").env("AZURE_STORAGE_TABLE_ENDPOINT"),
        "With the account: its table endpoint, if it is in another cloud.";
}

settings! {
    /// The settings that only the server has, except those of the following modules.
    OF_SERVER:
    LISTEN = text("listen", "ADDRESS").flag("listen").default("127.0.0.1:8080"),
        "The address and port to listen on. A port alone is one of this machine (127.0.0.1), 0.0.0.0:PORT one of all its networks; port 0 chooses a free port.";
    PUBLIC_URL = text("public_url", "URL").flag("public-url"),
        "The address at which clients reach this server, such as https://api.blog.example: the addresses of pictures and files are then absolute URLs. Not set: they are paths.";
    IMPORT = text("import", "PATH").flag("import"), "A folder or file to import before serving.";
    CREATE = switch("create").flag("create"), "Create an empty store if none exists.";
    READ_ONLY = switch("read_only").flag("read-only"),
        "Only read the store file and never write it, such as a copy on a read-only disk. Mutations are refused.";
    REPORT_STORAGE = switch("report_storage").flag("report-storage"),
        "Report the cost and the plan of an answer to every client that asks for it (`GraphQL-Cost`, `GraphQL-Explain`), not only to tokens of \
         the roles reader, editor and admin. The reported rows reveal that a draft exists.";
    CORS_ORIGINS = list("cors_origins", "ORIGIN").flag("cors-origin"),
        "Origins whose pages may send requests from a browser, such as https://blog.example, capacitor://localhost, or https://*.blog.example with a * in the first \
         label; * for all. Not set: only the server's own.";
    CORS_HEADERS = list("cors_headers", "NAME"),
        "Request headers that pages of these origins may send beside those that Tidings reads. Not set: all that they ask for.";
    BATCH_MAX = number("batch_max", (0, settings::BATCH_MAX as u64), || 0).flag("batch-max"),
        "The most requests in one body, as an array; 0 refuses arrays.";
    CLIENT_ADDRESS_HEADER = text("client_address_header", "NAME"),
        "The header in which the proxy in front writes the client's address last, such as x-forwarded-for. Set it only if clients cannot \
         reach the server without the proxy. Not set: clients are distinguished by the addresses of their connections.";
    NO_INTROSPECTION = switch("no_introspection").flag("no-introspection"),
        "Hide the schema: no introspection, no /schema.graphql, and no names in errors that the client did not send.";
    NO_PLAYGROUND = switch("no_playground").flag("no-playground"), "Serve no playground at /.";
    NO_EDITOR = switch("no_editor").flag("no-editor"), "Serve no editor at /editor.";
    NO_MCP = switch("no_mcp").flag("no-mcp"), "Serve no tools for agents at /mcp.";
    NO_SEARCH = switch("no_search").flag("no-search"),
        "Keep no search index: the fields search, searchTerms and related are SEARCH_DISABLED.";
    MANIFESTS = list("manifests", "FILE").flag("manifest"),
        "Manifests of documents that clients may name by their ids, as graphql-codegen, relay-compiler and Apollo write them. They are read at the start.";
    MANIFESTS_ONLY = switch("manifests_only").flag("manifests-only"),
        "Run no documents but those of the manifests, and serve no playground and no editor.";
    EDITOR_TOKEN = secret("editor_token", "TOKEN"),
        "A token with the role admin, in addition to the tokens that `tidings token create` creates.";
    EDITOR_TOKEN_FILE = text("editor_token_file", "FILE"), "A file that contains only the editor token.";
    OIDC_ISSUER = text("oidc.issuer", "URL"), "The OpenID provider whose JWTs are accepted.";
    OIDC_AUDIENCE = text("oidc.audience", "NAME"), "With the issuer: the audience that its JWTs must have.";
    OIDC_KEYS = text("oidc.keys", "SOURCE"),
        "Where the issuer's keys are: the path of a file, or an https URL. Not set: the URL in its discovery document.";
    OIDC_ROLE_CLAIM = text("oidc.role_claim", "NAME").default("roles"), "The claim that names the role.";
    OIDC_AUTHOR_CLAIM = text("oidc.author_claim", "NAME").default("author"),
        "The claim that names the slug of an author.";
    OIDC_CLIENT_ID = text("oidc.client_id", "NAME"),
        "The id of the editor at the provider, so that people sign in to it there. It is accepted as an audience too.";
    OIDC_CLIENT_SECRET = secret("oidc.client_secret", "SECRET"),
        "The secret of this client; not set: the provider knows it as a public client.";
    OIDC_CLIENT_SECRET_FILE = text("oidc.client_secret_file", "FILE"), "A file that contains only the client's secret.";
    OIDC_SCOPE = text("oidc.scope", "NAMES").default("openid"),
        "With the client id: the scopes to ask for, separated by spaces; those with which ID tokens have the claim that names the role.";
    LOG = text("log.directives", "DIRECTIVES").default("info").env("TIDINGS_LOG"),
        "The log directives, such as info or tidings=debug.";
    LOG_FORMAT = text("log.format", "FORMAT").flag("log-format").default("auto"),
        "The log format: json, one object per line; pretty, for people; auto, pretty on a terminal and json elsewhere.";
    METRICS_LISTEN = text("metrics.listen", "ADDRESS").flag("metrics-listen"),
        "The address and port of /metrics for Prometheus, separate from the public one. Not set: no metrics are served.";
    TRACES_ENDPOINT = text("traces.endpoint", "URL").env("OTEL_EXPORTER_OTLP_ENDPOINT"),
        "Where traces are sent by OTLP (HTTP, protobuf), such as http://127.0.0.1:4318. Not set: no traces.";
    TRACES_HEADERS = secret("traces.headers", "NAME=VALUE,…").env("OTEL_EXPORTER_OTLP_HEADERS"),
        "Headers that are sent with the traces, such as an API key of the receiver.";
    TRACES_HEADERS_FILE = text("traces.headers_file", "FILE"), "A file that contains only those headers.";
    TRACES_SERVICE_NAME = text("traces.service_name", "NAME").default("tidings").env("OTEL_SERVICE_NAME"),
        "The name of this server in its traces.";
    TRACES_SAMPLER_RATIO = text("traces.sampler_ratio", "RATIO").default("1").env("OTEL_TRACES_SAMPLER_ARG"),
        "The fraction of the requests that is traced, from 0 to 1; a client that sends a traceparent decides for its own.";
}

/// The fields that the site declares, for the commands that check or show them.
pub static OF_FIELDS: &[&Setting] = &[&site::FIELDS];

/// The settings that only the server has, in the order of their descriptions.
pub fn of_server() -> Vec<&'static Setting> {
    [
        OF_SERVER,
        site::NEED_URL,
        site::OTHERS,
        assets::PLACE,
        assets::LIMITS,
        cdn::ALL,
        webhooks::ALL,
        views::ALL,
        backup::ALL,
        limits::ALL,
        fair_use::ALL,
    ]
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

//! Documents that a request names in place of sending their text: by Apollo's `extensions.persistedQuery` ("automatic persisted queries"), or by `documentId`
//! ("GraphQL over HTTP", appendix "Persisted Documents"). The rule: a name that comes with a text must be the name of that text, and a document is registered
//! only after it was executed.

use std::any::TypeId;
use std::sync::Arc;

use async_graphql::{Request, ServerError, Value};
use axum::http::StatusCode;

use super::answer::RequestFailure;
use super::settings::HttpLimits;
use crate::graphql::error::{Code, coded};
use crate::graphql::guard::{CheckedDocument, Refusal};
use crate::graphql::memory::OverBudget;
use crate::graphql::persisted::{DocumentHash, HashedDocument, PersistedDocuments, TrustedDocument, TrustedDocuments};
use crate::telemetry::metrics;

/// The version of Apollo's protocol.
const VERSION: u64 = 1;

/// The name of a document in a request. `parameters` adds it to the request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum DocumentName {
    /// `extensions.persistedQuery.sha256Hash`. Clients also send ids of manifests there.
    Hash(String),
    /// `documentId`.
    Id(String),
}

impl DocumentName {
    pub(super) const EXTENSION: &str = "persistedQuery";
    pub(super) const STANDARD: &str = "documentId";
    /// The parameters that can name a document: the standard one, and the one of Relay's documentation.
    pub(super) const PARAMETERS: [&str; 2] = [Self::STANDARD, "doc_id"];

    /// Parses the name from the parameters with an id and from the extension.
    pub(super) fn of(ids: Vec<String>, extension: Option<Value>) -> Result<Option<Self>, RequestFailure> {
        let hash = match extension {
            None | Some(Value::Null) => None,
            Some(Value::Object(extension)) => {
                if !matches!(extension.get("version"), Some(Value::Number(version)) if version.as_u64() == Some(VERSION))
                {
                    return Err(RequestFailure::bad_request("Unsupported persisted query version: it must be 1."));
                }
                let Some(Value::String(hash)) = extension.get("sha256Hash") else {
                    return Err(RequestFailure::malformed("`extensions.persistedQuery.sha256Hash` is not a string."));
                };
                Some(hash.clone())
            }
            Some(_) => return Err(RequestFailure::malformed("`extensions.persistedQuery` is not an object.")),
        };
        let mut names = ids.into_iter().map(Self::Id).chain(hash.map(Self::Hash));
        let name = names.next();
        match names.next() {
            None => Ok(name),
            Some(_) => Err(RequestFailure::malformed(
                "The document is named twice; name it by `documentId` or by `persistedQuery`.",
            )),
        }
    }

    fn of_request(request: &Request) -> Option<&Self> {
        request.data.get(&TypeId::of::<Self>())?.downcast_ref()
    }

    fn text(&self) -> &str {
        let (Self::Hash(text) | Self::Id(text)) = self;
        text
    }

    /// The hash, if the name contains one.
    fn hash(&self) -> Option<DocumentHash> {
        match self {
            Self::Hash(text) => DocumentHash::parse(text),
            Self::Id(text) => DocumentHash::parse(text.strip_prefix(DocumentHash::PREFIX)?),
        }
    }
}

/// The documents that clients of this server can name.
pub(super) struct Persisted {
    /// `None` if clients cannot register documents.
    registered: Option<PersistedDocuments>,
    trusted: Arc<TrustedDocuments>,
    /// Whether only trusted documents may run.
    trusted_only: bool,
    /// The limit of a document's text. A longer text is not hashed; it is refused later.
    document_bytes: usize,
}

#[derive(Default)]
pub(super) struct Resolved {
    /// The text, if the client did not send it.
    pub text: Option<Arc<str>>,
    /// The checked document, if it is trusted.
    pub trusted: Option<Arc<CheckedDocument>>,
    /// The hash of the document, if the document is to be registered after it was executed.
    pub registers: Option<DocumentHash>,
}

pub(super) enum NotAdmitted {
    Failed(RequestFailure),
    /// An error in answer to a well-formed request.
    Refused(ServerError),
    /// A refusal of Apollo's protocol, whose status is 200.
    NotRegistered(ServerError),
}

impl From<OverBudget> for NotAdmitted {
    fn from(over_budget: OverBudget) -> Self {
        Self::Failed(over_budget.into())
    }
}

impl From<Refusal> for NotAdmitted {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal.into())
    }
}

impl Persisted {
    pub(super) fn new(trusted: Arc<TrustedDocuments>, trusted_only: bool, limits: &HttpLimits) -> Self {
        let registered = PersistedDocuments::of(limits.persisted_bytes).filter(|_| !trusted_only);
        Self { registered, trusted, trusted_only, document_bytes: limits.query.document_bytes }
    }

    pub(super) fn resolve(&self, request: &Request) -> Result<Resolved, NotAdmitted> {
        if request.query.len() > self.document_bytes {
            return Ok(Resolved::default());
        }
        match DocumentName::of_request(request) {
            Some(name) if !request.query.is_empty() => self.checked(name, &request.query),
            Some(name) => self.found(name),
            None => self.by_text(&request.query),
        }
    }

    /// Registers a document, if clients may register any. Pass only an executed document without a secret.
    pub(super) fn register(&self, document: Option<HashedDocument>) {
        if let Some((registered, document)) = self.registered.as_ref().zip(document) {
            registered.register(document);
        }
    }

    /// Resolves a text without a name.
    fn by_text(&self, text: &str) -> Result<Resolved, NotAdmitted> {
        if !self.trusted_only {
            return Ok(Resolved::default());
        }
        let trusted = self.trusted.find_by_hash(DocumentHash::of(text)).ok_or_else(not_trusted)?;
        Ok(Resolved { trusted: Some(Arc::clone(&trusted.checked)), ..Resolved::default() })
    }

    /// Resolves a name without a text.
    fn found(&self, name: &DocumentName) -> Result<Resolved, NotAdmitted> {
        if let Some(TrustedDocument { text, checked }) = self.trusted(name) {
            metrics::persisted_documents("trusted");
            let (text, trusted) = (Some(Arc::clone(text)), Some(Arc::clone(checked)));
            return Ok(Resolved { text, trusted, ..Resolved::default() });
        }
        if self.trusted_only {
            return Err(not_trusted());
        }
        self.check_supported(name)?;
        let found = self.registered.as_ref().zip(name.hash()).and_then(|(registered, hash)| registered.find(hash));
        metrics::persisted_documents(if found.is_some() { "hit" } else { "miss" });
        match found {
            Some(text) => Ok(Resolved { text: Some(text), ..Resolved::default() }),
            None => Err(not_found(name)),
        }
    }

    /// The trusted document with this name.
    fn trusted(&self, name: &DocumentName) -> Option<&TrustedDocument> {
        self.trusted.find(name.text()).or_else(|| self.trusted.find_by_hash(name.hash()?))
    }

    /// Resolves a name with a text.
    fn checked(&self, name: &DocumentName, text: &str) -> Result<Resolved, NotAdmitted> {
        if let Some(trusted) = self.trusted(name) {
            let is_same = *trusted.text == *text;
            let trusted = Some(Arc::clone(&trusted.checked)).filter(|_| is_same).ok_or_else(|| mismatch(name))?;
            return Ok(Resolved { trusted: Some(trusted), ..Resolved::default() });
        }
        if self.trusted_only {
            return Err(not_trusted());
        }
        self.check_supported(name)?;
        let hash = name.hash().filter(|hash| *hash == DocumentHash::of(text)).ok_or_else(|| mismatch(name))?;
        let registers = Some(hash).filter(|_| self.registered.is_some());
        Ok(Resolved { registers, ..Resolved::default() })
    }

    /// Refuses a hash if clients cannot register documents. A client of Apollo's protocol then sends the texts instead.
    fn check_supported(&self, name: &DocumentName) -> Result<(), NotAdmitted> {
        match name {
            DocumentName::Hash(_) if self.registered.is_none() => {
                metrics::persisted_documents("refused");
                // The text of the message is part of Apollo's protocol.
                let message = "PersistedQueryNotSupported";
                Err(NotAdmitted::NotRegistered(coded(Code::PersistedQueryNotSupported, message, None)))
            }
            DocumentName::Hash(_) | DocumentName::Id(_) => Ok(()),
        }
    }
}

fn not_found(name: &DocumentName) -> NotAdmitted {
    // The text of the message is part of Apollo's protocol.
    let error = coded(Code::PersistedQueryNotFound, "PersistedQueryNotFound", None);
    match name {
        DocumentName::Hash(_) => NotAdmitted::NotRegistered(error),
        DocumentName::Id(_) => NotAdmitted::Refused(error),
    }
}

fn mismatch(name: &DocumentName) -> NotAdmitted {
    metrics::persisted_documents("refused");
    let message = match name {
        // The text of the message is part of Apollo's protocol.
        DocumentName::Hash(_) => "provided sha does not match query",
        DocumentName::Id(_) => "`documentId` does not name the document in `query`; send one of them.",
    };
    NotAdmitted::Failed(RequestFailure::new(StatusCode::BAD_REQUEST, Code::PersistedQueryHashMismatch, message))
}

fn not_trusted() -> NotAdmitted {
    metrics::persisted_documents("refused");
    let message = "This server runs only the documents of its manifests, and this is not one of them. Nothing was run.";
    NotAdmitted::Refused(coded(Code::DocumentNotTrusted, message, None))
}

//! Maps the SDK's errors to those of the store. The rule: a write that may have been committed is never reported as refused. A message for clients contains
//! neither a URL nor a key; the SDK's error is its source.

use azure_core::StatusCode;
use azure_core::error::{Error, ErrorKind};

use super::call::Call;
use crate::store::error::StoreError;

pub(super) const NO_TOKEN: &str = "no token of Entra ID could be obtained: give the machine a managed identity (with AZURE_CLIENT_ID if it is user-assigned), set AZURE_TENANT_ID, \
    AZURE_CLIENT_ID and AZURE_CLIENT_SECRET, or run `az login`";

/// The kind of a request. Creating a table counts as a read, because it can be repeated without harm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    Read,
    Write,
}

/// `what`: names the read or written object.
pub(super) fn explain(error: Error, asked: Asked, call: &Call, what: impl Fn() -> String) -> StoreError {
    let (kind, what) = (error.kind().clone(), what());
    let is_write = asked == Asked::Write;
    match kind {
        ErrorKind::HttpResponse { status, error_code } => {
            let code = error_code.unwrap_or_default();
            match meaning(status, &code) {
                Meaning::Refused if is_write => StoreError::precondition(what),
                // An earlier request of this write may have been committed before this one was denied.
                _ if is_write && call.is_doubtful() => StoreError::outcome_unknown(what, error),
                Meaning::Denied(why) => StoreError::denied(format!("{what}: {why}"), error),
                Meaning::NoTable => StoreError::corrupt_by(format!("{what} is in a table that does not exist"), error),
                Meaning::Malformed => StoreError::limit(format!("{what} is refused by the service ({status}, {code})")),
                Meaning::Refused | Meaning::Passing => {
                    StoreError::unavailable(format!("{what} ({status}, {code})"), error)
                }
            }
        }
        _ if is_write && call.is_doubtful() => StoreError::outcome_unknown(what, error),
        ErrorKind::Io => StoreError::unavailable(what, error),
        ErrorKind::Credential => StoreError::denied(format!("{what}: {NO_TOKEN}"), error),
        // The service has accepted the request, but its response cannot be read.
        ErrorKind::DataConversion if is_write => StoreError::outcome_unknown(what, error),
        ErrorKind::DataConversion => StoreError::corrupt_by(format!("{what} cannot be read"), error),
        _ if call.is_answered() && is_write => StoreError::outcome_unknown(what, error),
        _ if call.is_answered() => StoreError::corrupt_by(format!("{what} cannot be read"), error),
        _ => StoreError::limit(format!("{what} cannot be requested: {error}")),
    }
}

pub(super) fn is_table_there(error: &Error) -> bool {
    has(error, StatusCode::Conflict)
}

pub(super) fn is_no_table(error: &Error) -> bool {
    match error.kind() {
        ErrorKind::HttpResponse { status, error_code } => {
            matches!(meaning(*status, error_code.as_deref().unwrap_or_default()), Meaning::NoTable)
        }
        _ => false,
    }
}

pub(super) fn is_no_row(error: &Error) -> bool {
    has(error, StatusCode::NotFound)
}

fn has(error: &Error, status_code: StatusCode) -> bool {
    match error.kind() {
        ErrorKind::HttpResponse { status, error_code } if *status == status_code => {
            matches!(meaning(*status, error_code.as_deref().unwrap_or_default()), Meaning::Refused)
        }
        _ => false,
    }
}

enum Meaning {
    Denied(&'static str),
    NoTable,
    /// A condition of the request does not hold, for a row or for a new table.
    Refused,
    Malformed,
    Passing,
}

/// The codes are from "Table Service error codes" and "Common REST API error codes" in Azure's documentation.
fn meaning(status: StatusCode, code: &str) -> Meaning {
    match (status, code) {
        (_, "AuthorizationPermissionMismatch" | "InsufficientAccountPermissions") => Meaning::Denied(
            "this identity or signature is not allowed to do it (the role Storage Table Data Contributor is)",
        ),
        (StatusCode::Unauthorized | StatusCode::Forbidden, _) => {
            Meaning::Denied("check the account's name, its key or signature, its firewall, and this machine's clock")
        }
        (StatusCode::NotFound, "TableNotFound") => Meaning::NoTable,
        (StatusCode::Conflict, "TableBeingDeleted" | "AccountBeingCreated") => Meaning::Passing,
        // A response without a code does not come from a table service: a wrong endpoint must not look like missing rows.
        (StatusCode::NotFound | StatusCode::Conflict, "") => Meaning::Passing,
        (StatusCode::NotFound | StatusCode::Conflict | StatusCode::PreconditionFailed, _) => Meaning::Refused,
        (StatusCode::BadRequest | StatusCode::PayloadTooLarge | StatusCode::LengthRequired, _) => Meaning::Malformed,
        _ => Meaning::Passing,
    }
}

//! Why a service has refused a request. The rule: only the status and the code of a response are kept, because its text repeats the signed request, and the
//! documentation of the service explains the code.

use std::error::Error;
use std::fmt;

/// No code of Azure or S3 is longer.
const CODE_CHARS_MAX: usize = 64;

/// A refusal that a retry would not change.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Refused {
    status: u16,
    /// Empty if the answer has no code.
    code: String,
    pub(super) meaning: Meaning,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// The container or the bucket does not exist.
    NoContainer,
    /// The container already exists.
    Exists,
    /// The text says what to check.
    Other(&'static str),
}

impl Error for Refused {}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { status, code, meaning } = self;
        let code = if code.is_empty() { "without a code" } else { code };
        let hint = match meaning {
            Meaning::NoContainer => "the container or the bucket does not exist",
            Meaning::Exists => "it exists already",
            Meaning::Other(hint) => hint,
        };
        write!(f, "the service answered {status} {code}: {hint}")
    }
}

impl Refused {
    /// `None` for a response that a retry may change.
    pub(super) fn of(status: u16, code: String) -> Option<Self> {
        let meaning = match (status, code.as_str()) {
            (408 | 429 | 500.., _) => return None,
            (404, "ContainerNotFound" | "NoSuchBucket" | "ContainerBeingDisabled") => Meaning::NoContainer,
            (409, "ContainerAlreadyExists") => Meaning::Exists,
            // A container that is deleted keeps its name for some time.
            (409, "ContainerBeingDeleted") => Meaning::Other("the container is being deleted; wait until it is gone"),
            (_, "AuthorizationPermissionMismatch" | "InsufficientAccountPermissions" | "AccessDenied") => {
                Meaning::Other(
                    "this identity, key or signature is not allowed to do it (in Azure, the role Storage Blob Data Contributor is; in S3, \
                 s3:ListBucket, GetObject, PutObject and DeleteObject are needed)",
                )
            }
            (401 | 403, _) => Meaning::Other(
                "check the account or the access key, its secret or signature, the firewall, and this machine's clock",
            ),
            (300..400, _) | (400, "AuthorizationHeaderMalformed") => {
                Meaning::Other("check the region and the endpoint")
            }
            (404, _) => Meaning::Other("this is no answer of a blob service or of S3; check the endpoint"),
            _ => Meaning::Other("the request was not accepted"),
        };
        Some(Self { status, code, meaning })
    }
}

/// The code in an XML response: `<Error><Code>NoSuchKey</Code>…`.
pub(super) fn code_in(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    let code = text.split_once("<Code>").and_then(|(_, rest)| rest.split_once("</Code>"));
    code.map(|(code, _)| well_formed(code)).unwrap_or_default()
}

/// The code; empty if the text is not a code, because nothing else that a service sends is shown.
pub(super) fn well_formed(code: &str) -> String {
    let is_code = code.len() <= CODE_CHARS_MAX && code.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if is_code { code.to_owned() } else { String::new() }
}

/// The meaning of a refusal among the causes of an error.
pub(super) fn meaning_of(error: &(dyn Error + 'static)) -> Option<Meaning> {
    match error.downcast_ref::<Refused>() {
        Some(refused) => Some(refused.meaning),
        None => meaning_of(error.source()?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_kept_and_nothing_else_of_an_answer() {
        let body =
            b"<?xml version='1.0'?><Error><Code>SignatureDoesNotMatch</Code><StringToSign>AWS4</StringToSign></Error>";
        assert_eq!(code_in(body), "SignatureDoesNotMatch");
        for body in ["", "<Code>", "<Code></Code>", "<Code>a b</Code>", "<html>403</html>"] {
            assert_eq!(code_in(body.as_bytes()), "", "{body}");
        }
        assert_eq!(code_in(format!("<Code>{}</Code>", "x".repeat(65)).as_bytes()), "");
    }

    #[test]
    fn only_a_refusal_that_a_retry_would_not_change_is_one() {
        for status in [408, 429, 500, 502, 503, 504] {
            assert_eq!(Refused::of(status, String::new()), None);
        }
        let meaning = |status, code: &str| Refused::of(status, code.to_owned()).map(|refused| refused.meaning);
        assert_eq!(meaning(404, "NoSuchBucket"), Some(Meaning::NoContainer));
        assert_eq!(meaning(404, "ContainerNotFound"), Some(Meaning::NoContainer));
        assert_eq!(meaning(409, "ContainerAlreadyExists"), Some(Meaning::Exists));
        let text = Refused::of(403, "AuthenticationFailed".to_owned()).expect("a refusal").to_string();
        assert!(text.contains("403 AuthenticationFailed") && text.contains("clock"), "{text}");
    }
}

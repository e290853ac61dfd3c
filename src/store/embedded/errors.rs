//! Converts the errors of redb to errors of the store. The rule: the message tells the operator what to do: free disk space, check the disk, restart, or
//! restore a copy.

use std::io::ErrorKind;

use crate::store::error::StoreError;

macro_rules! store_error_from {
    ($($error:ty),+) => {
        $(
            impl From<$error> for StoreError {
                fn from(error: $error) -> Self {
                    Self::from(redb::Error::from(error))
                }
            }
        )+
    };
}

store_error_from!(
    redb::StorageError,
    redb::TableError,
    redb::TransactionError,
    redb::CommitError,
    redb::SetDurabilityError
);

impl From<redb::Error> for StoreError {
    fn from(error: redb::Error) -> Self {
        match error {
            redb::Error::Io(e) if is_full(&e) => {
                Self::full("the store file cannot grow; free disk space, then try again", e)
            }
            // The file was truncated.
            redb::Error::Io(e) if matches!(e.kind(), ErrorKind::InvalidData | ErrorKind::UnexpectedEof) => {
                Self::corrupt_by("the store file is not complete; restore it from a copy", e)
            }
            redb::Error::Io(e) => Self::unavailable(
                "the store file cannot be used; check its disk and its permissions, then restart Tidings",
                e,
            ),
            // The pages may be intact: redb refuses to use a file after a failed system call.
            error @ redb::Error::PreviousIo => {
                Self::unavailable("the store file cannot be used since its disk failed; restart Tidings", error)
            }
            other => Self::corrupt_by("the store file cannot be read; restore it from a copy", other),
        }
    }
}

/// The disk or a quota is full, or the file has the maximum size that the system allows for this process.
pub(super) fn is_full(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge)
}

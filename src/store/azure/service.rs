//! The services of an account that Tidings uses, by the names that they have in addresses and in connection strings. The rule: whatever differs between
//! the services is here, so that a connection string is read in one way.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Service {
    Tables,
    Blobs,
}

impl Service {
    /// The service's name in a host name.
    pub(super) fn host(self) -> &'static str {
        match self {
            Self::Tables => "table",
            Self::Blobs => "blob",
        }
    }

    /// The service's field in a connection string.
    pub(super) fn field(self) -> &'static str {
        match self {
            Self::Tables => "TableEndpoint",
            Self::Blobs => "BlobEndpoint",
        }
    }

    pub(super) fn emulator(self) -> &'static str {
        match self {
            Self::Tables => "http://127.0.0.1:10002/devstoreaccount1",
            Self::Blobs => "http://127.0.0.1:10000/devstoreaccount1",
        }
    }
}

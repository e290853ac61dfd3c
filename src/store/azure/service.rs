//! The services of an account that Tidings uses, with their names in addresses and connection strings. The rule: all differences between the services are here,
//! so that there is one parser of connection strings.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Service {
    Tables,
    Blobs,
}

impl Service {
    /// The service's label in a host name.
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

//! The storage requests of one GraphQL request. The rule: it only counts.

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StorageUse {
    pub point_reads: u32,
    /// Reads of several rows whose page was empty, so that the rows were read again. No bound contains them.
    pub empty_reads: u32,
    pub range_reads: u32,
    pub transactions: u32,
    /// Cached values, for which nothing was read.
    pub hits: u32,
    /// Rows that the reads returned.
    pub rows: u64,
    /// Bytes of those rows: keys, names and values.
    pub bytes: u64,
    /// The longest sequence of requests of which each started after the one before was answered. Of a local store, unless the request is explained:
    /// the number of requests at the most.
    pub round_trips: u32,
}

impl StorageUse {
    /// Requests in all, as a store's log counts them.
    pub fn requests(&self) -> u32 {
        self.bounded_requests() + self.empty_reads
    }

    /// The requests that a bound contains.
    pub fn bounded_requests(&self) -> u32 {
        self.point_reads + self.range_reads + self.transactions
    }
}

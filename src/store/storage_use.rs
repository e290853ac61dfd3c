//! The storage requests of one GraphQL request. The rule: it only counts.

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StorageUse {
    pub point_reads: u32,
    /// Repeated reads of several rows, because a page was empty. Bounds do not include them.
    pub empty_reads: u32,
    pub range_reads: u32,
    pub transactions: u32,
    /// Used cached values.
    pub hits: u32,
    /// Rows that the reads returned.
    pub rows: u64,
    /// Bytes of those rows: keys, names and values.
    pub bytes: u64,
    /// The longest sequence of requests in which each one started after the answer to the previous one. For a local store, this is only an upper bound, unless
    /// the request is explained.
    pub round_trips: u32,
}

impl StorageUse {
    /// The total number of requests, as in a storage log.
    pub fn requests(&self) -> u32 {
        self.bounded_requests() + self.empty_reads
    }

    /// The requests that a bound includes.
    pub fn bounded_requests(&self) -> u32 {
        self.point_reads + self.range_reads + self.transactions
    }
}

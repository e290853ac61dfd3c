//! What one GraphQL request has requested from the store. The rule: it only counts.

/// What was requested from the store.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StorageUse {
    pub point_reads: u32,
    pub range_reads: u32,
    pub transactions: u32,
    /// Point reads that were sent a second time because the first answer was late.
    pub hedged_point_reads: u32,
    /// The same of range reads.
    pub hedged_range_reads: u32,
    /// Values that were held in memory, so that nothing was read for them.
    pub hits: u32,
    /// Rows that the reads returned.
    pub rows: u64,
    /// Bytes of those rows: keys, names and values.
    pub bytes: u64,
    /// The longest sequence of requests of which each started after the one before was answered. Of a local store whose reads are not named:
    /// the number of requests at the most.
    pub round_trips: u32,
    /// The first 1,000 reads, as `Table(partition, row)` or `Table(partition, from..to)`; empty if they are not requested.
    pub reads: Vec<String>,
}

impl StorageUse {
    /// Requests in all, as a store's log counts them.
    pub fn requests(&self) -> u32 {
        self.bounded_requests() + self.hedges()
    }

    /// The requests that a bound contains: all but the second requests of hedged reads.
    pub fn bounded_requests(&self) -> u32 {
        self.point_reads + self.range_reads + self.transactions
    }

    /// The second requests of hedged reads.
    pub fn hedges(&self) -> u32 {
        self.hedged_point_reads + self.hedged_range_reads
    }
}

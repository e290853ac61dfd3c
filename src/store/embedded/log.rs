//! The log next to the store file: the writes since the file's last durable commit. The rule: a record is synced before its rows are visible or acknowledged,
//! and exactly the records that continue the version of the file are replayed.
//!
//! After a durable commit of the file, the log is overwritten from its start without being truncated: leftover records have versions that the file already has.
//! A log is created with an empty record, so its first sector always has a header with its id. This distinguishes a log with nothing to replay from one that
//! was zeroed or belongs to another store.

use std::sync::Arc;

use redb::StorageBackend;

use super::errors::is_full;
use super::log_record::{Header, Record, SECTOR, Versions, each_row, record_at};
use crate::store::Result;
use crate::store::error::StoreError;

/// The maximum size of the log: it is replayed in some 20 ms, and fits a few hundred changes, so that durable commits are rare.
pub(super) const LOG_BYTES_MAX: u64 = 4 << 20;
/// The log grows by this many zeros, because a sync that changes the length of a file is more expensive.
const GROWTH: u64 = 256 << 10;
const LENGTH_MIN: u64 = 4 << 10;

const RESTORE: &str = "restore tidings.redb and tidings.log from a copy";

pub(super) struct Log {
    file: Arc<dyn StorageBackend>,
    /// The id, which the file also stores, so that a log of another store is not replayed.
    id: u64,
    /// The offset of the next record.
    end: u64,
    /// The length of the file, which can be written without growing.
    length: u64,
    bytes_max: u64,
    /// Whether the last record may be stored, because its sync failed.
    is_in_doubt: bool,
}

impl Log {
    /// A log without records, in an empty file.
    pub(super) fn create(file: Arc<dyn StorageBackend>, id: u64, bytes_max: u64) -> Result<Self> {
        let mut log = Self { file, id, end: 0, length: 0, bytes_max, is_in_doubt: false };
        let first = Record::new().sealed(id, Versions { before: 0, after: 0 });
        let written = log.grow(created_length(bytes_max)).and_then(|()| log.file.write(0, &first));
        written.and_then(|()| log.file.sync_data()).map_err(unusable)?;
        Ok(log)
    }

    /// Opens the log with this id.
    ///
    /// # Errors
    /// `Corrupt` if it was truncated or zeroed, or belongs to another store.
    pub(super) fn open(file: Arc<dyn StorageBackend>, id: u64, bytes_max: u64) -> Result<Self> {
        let length = file.len().map_err(unusable)?;
        if length < LENGTH_MIN {
            return Err(StoreError::corrupt(format!(
                "the log is not complete: it was cut to {length} bytes; {RESTORE}"
            )));
        }
        let mut first = [0; SECTOR];
        file.read(0, &mut first).map_err(unusable)?;
        if Header::decode(&first, id).is_none() {
            return Err(StoreError::corrupt(format!(
                "the log is not the one that belongs to the store file, or its start was overwritten; {RESTORE}"
            )));
        }
        Ok(Self { file, id, end: 0, length, bytes_max, is_in_doubt: false })
    }

    /// Whether the record can be appended. Otherwise, the group is committed to the file together with the earlier records.
    pub(super) fn has_space_for(&self, record: &Record) -> bool {
        let end = self.end + record.sectors_bytes() as u64;
        !record.is_too_large() && !self.is_in_doubt && end <= self.bytes_max
    }

    /// Whether it has records that the file may not have.
    pub(super) fn has_records(&self) -> bool {
        self.end > 0 || self.is_in_doubt
    }

    /// Appends a record and syncs it.
    ///
    /// # Errors
    /// [`StoreError::Full`]: the record is not stored. `OutcomeUnknown`: it may be stored.
    pub(super) fn append(&mut self, record: Record, versions: Versions) -> Result<()> {
        let bytes = record.sealed(self.id, versions);
        let end = self.end + bytes.len() as u64;
        if end > self.length {
            self.grow(end.next_multiple_of(GROWTH)).map_err(unusable)?;
        }
        let written = self.file.write(self.end, &bytes);
        if let Err(error) = written {
            // An incomplete record is not replayed.
            return Err(if is_full(&error) { unusable(error) } else { self.in_doubt(error) });
        }
        if let Err(error) = self.file.sync_data() {
            return Err(self.in_doubt(error));
        }
        self.end = end;
        Ok(())
    }

    fn in_doubt(&mut self, error: std::io::Error) -> StoreError {
        self.is_in_doubt = true;
        StoreError::outcome_unknown("the log of the store file cannot be written", error)
    }

    fn grow(&mut self, length: u64) -> std::io::Result<()> {
        self.file.set_len(length)?;
        self.file.write(self.length, &vec![0; (length - self.length) as usize])?;
        self.length = length;
        Ok(())
    }

    /// Call it after a durable commit of the file with all writes of the log.
    pub(super) fn restart(&mut self) {
        (self.end, self.is_in_doubt) = (0, false);
    }

    /// Passes each row of the records after this version, in order, and returns the version after them. The log continues after these records.
    ///
    /// # Errors
    /// `Corrupt` if a record in the middle is damaged, or if the log continues another version. A damaged record at the end was being written at a power loss,
    /// so it was never acknowledged.
    pub(super) fn replay(
        &mut self,
        mut version: u64,
        mut apply: impl FnMut(&[u8], Option<&[u8]>) -> Result<()>,
    ) -> Result<u64> {
        let mut bytes = vec![0; self.length as usize];
        self.file.read(0, &mut bytes).map_err(unusable)?;
        let (mut at, mut end) = (0, 0);
        while let Some((header, rows)) = record_at(&bytes, at, self.id) {
            let Versions { before, after } = header.versions;
            at += header.sectors_bytes();
            if after <= version {
                continue;
            }
            if before != version {
                return Err(StoreError::corrupt(format!(
                    "the log is not that of this state of the store file; {RESTORE}"
                )));
            }
            each_row(rows, &mut apply)?;
            (version, end) = (after, at);
        }
        let later = (at..bytes.len()).step_by(SECTOR).skip(1);
        let mut headers = later.filter_map(|at| Header::decode(&bytes[at..], self.id));
        // Leftover records from before a restart continue a version that the file already has.
        if headers.any(|header| header.versions.before > version) {
            return Err(StoreError::corrupt(format!("a record in the middle of the log is damaged; {RESTORE}")));
        }
        self.end = end as u64;
        Ok(version)
    }
}

/// The length of a new log, which is synced before the store file names the log.
pub(super) fn created_length(bytes_max: u64) -> u64 {
    GROWTH.min(bytes_max).max(LENGTH_MIN)
}

fn unusable(error: std::io::Error) -> StoreError {
    match is_full(&error) {
        true => StoreError::full("the log of the store file cannot grow; free disk space, then try again", error),
        false => StoreError::unavailable("the log of the store file cannot be used; check its disk", error),
    }
}

#[cfg(test)]
mod tests {
    use redb::backends::InMemoryBackend;

    use super::*;

    const ID: u64 = 7;

    /// A log of three records, which take the versions 10, 20, 30 and 40.
    fn written() -> (Arc<dyn StorageBackend>, Vec<u64>) {
        let file: Arc<dyn StorageBackend> = Arc::new(InMemoryBackend::new());
        let mut log = Log::create(Arc::clone(&file), ID, LOG_BYTES_MAX).expect("a log");
        let mut ends = Vec::new();
        for n in 1..=3 {
            log.append(record(n), Versions { before: n * 10, after: n * 10 + 10 }).expect("it is appended");
            ends.push(log.end);
        }
        (file, ends)
    }

    fn record(n: u64) -> Record {
        let mut record = Record::new();
        record.note(format!("key {n}").as_bytes(), Some(&[n as u8; 700]));
        record.note(b"gone", None);
        record
    }

    /// The replayed keys after a version, the resulting version, and the offset at which the log continues.
    fn replayed(file: &Arc<dyn StorageBackend>, version: u64) -> Result<(Vec<String>, u64, u64)> {
        let mut log = Log::open(Arc::clone(file), ID, LOG_BYTES_MAX)?;
        let mut keys = Vec::new();
        let after = log.replay(version, |key, row| {
            assert_eq!(row.is_none(), key == b"gone");
            keys.push(String::from_utf8_lossy(key).into_owned());
            Ok(())
        })?;
        Ok((keys, after, log.end))
    }

    fn flip(file: &Arc<dyn StorageBackend>, at: u64) {
        let mut byte = [0];
        file.read(at, &mut byte).expect("a byte");
        file.write(at, &[byte[0] ^ 4]).expect("it is written");
    }

    #[test]
    fn the_records_that_the_file_does_not_have_are_replayed() {
        let (file, ends) = written();
        let keys = |numbers: &[u64]| {
            let of_record = |n: &u64| [format!("key {n}"), "gone".to_owned()];
            numbers.iter().flat_map(of_record).collect::<Vec<_>>()
        };
        for (version, numbers) in [(10, &[1, 2, 3][..]), (20, &[2, 3]), (30, &[3]), (40, &[]), (50, &[])] {
            let replayed = replayed(&file, version).expect("the log is whole");
            let end = if numbers.is_empty() { 0 } else { ends[2] };
            assert_eq!(replayed, (keys(numbers), version.max(40), end), "from {version}");
        }
    }

    #[test]
    fn a_log_of_an_earlier_or_a_later_state_is_refused() {
        let (file, _) = written();
        for version in [5, 15, 35] {
            assert!(matches!(replayed(&file, version), Err(StoreError::Corrupt { .. })), "from {version}");
        }
    }

    #[test]
    fn a_log_of_another_store_or_without_its_start_is_refused() {
        let (file, _) = written();
        assert!(matches!(Log::open(Arc::clone(&file), ID + 1, LOG_BYTES_MAX), Err(StoreError::Corrupt { .. })));
        file.write(0, &[0; SECTOR]).expect("it is zeroed");
        assert!(matches!(replayed(&file, 10), Err(StoreError::Corrupt { .. })));
    }

    #[test]
    fn a_log_without_records_has_nothing_to_replay() {
        let file: Arc<dyn StorageBackend> = Arc::new(InMemoryBackend::new());
        drop(Log::create(Arc::clone(&file), ID, LOG_BYTES_MAX).expect("a log"));
        assert_eq!(replayed(&file, 10).expect("the log is whole"), (Vec::new(), 10, 0));
    }

    #[test]
    fn a_damaged_record_is_an_error_in_the_middle_and_ignored_at_the_end() {
        let (_, ends) = written();
        for at in 0..ends[2] {
            let (file, _) = written();
            flip(&file, at);
            match replayed(&file, 10) {
                Ok((keys, version, end)) => {
                    let is_padding = keys.len() == 6 && version == 40;
                    assert!(is_padding || (at >= ends[1] && (version, end) == (30, ends[1])), "{at}: {keys:?}");
                }
                Err(StoreError::Corrupt { .. }) => assert!(at < ends[1], "{at}"),
                Err(other) => panic!("{at}: {other:?}"),
            }
        }
    }

    #[test]
    fn what_a_restart_leaves_over_is_not_replayed() {
        let (file, _) = written();
        let mut log = Log::open(Arc::clone(&file), ID, LOG_BYTES_MAX).expect("a log");
        assert!(replayed(&file, 40).expect("all is in the file").0.is_empty());
        log.append(record(4), Versions { before: 40, after: 50 }).expect("it is appended");
        let (keys, version, end) = replayed(&file, 40).expect("the log is whole");
        assert_eq!((keys.len(), version, end), (2, 50, log.end));
        flip(&file, 100);
        assert_eq!(replayed(&file, 40).expect("its last record was not whole").1, 40);
    }

    #[test]
    fn a_large_record_and_a_full_log_have_no_space() {
        let (file, _) = written();
        let mut log = Log::open(file, ID, LOG_BYTES_MAX).expect("a log");
        let of = |bytes: usize| {
            let mut record = Record::new();
            record.note(b"key", Some(&vec![0; bytes]));
            record
        };
        assert!(log.has_space_for(&of(400 << 10)) && !log.has_space_for(&of(600 << 10)));
        let mut version = 100;
        while log.has_space_for(&of(400 << 10)) {
            log.append(of(400 << 10), Versions { before: version, after: version + 1 }).expect("it is appended");
            version += 1;
        }
        assert_eq!((version, log.length), (110, LOG_BYTES_MAX));
    }
}

//! A backend for a file that is only read, such as on a read-only disk. The rule: the file is never written. redb's writes, for repairs and for replaying the
//! log, stay in memory until the process ends.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::ops::Bound;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use redb::backends::FileBackend;
use redb::{BackendError, StorageBackend};

/// The unit of the writes in memory: a page of redb.
const BLOCK: u64 = 4096;

#[derive(Debug)]
pub(super) struct OverlaidFile {
    file: FileBackend,
    written: Mutex<Written>,
}

#[derive(Debug)]
struct Written {
    /// The length for redb.
    length: u64,
    /// The end of the file's own bytes; beyond it, everything that was not written is zero.
    length_of_file: u64,
    /// The written blocks by number.
    blocks: BTreeMap<u64, Vec<u8>>,
}

impl OverlaidFile {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let length = file.metadata()?.len();
        let file = FileBackend::new(file).map_err(io::Error::other)?;
        let written = Mutex::new(Written { length, length_of_file: length, blocks: BTreeMap::new() });
        Ok(Self { file, written })
    }

    fn written(&self) -> MutexGuard<'_, Written> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The block of the file, with zeros after the file's end.
    fn block_of_file(&self, block: u64, length_of_file: u64) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; BLOCK as usize];
        let length = length_of_file.saturating_sub(block * BLOCK).min(BLOCK) as usize;
        if length > 0 {
            self.file.read(block * BLOCK, &mut bytes[..length])?;
        }
        Ok(bytes)
    }
}

/// Splits a range into parts within blocks: the block, where the part begins in it, and its length.
fn parts(offset: u64, length: usize) -> impl Iterator<Item = (u64, usize, usize)> {
    let end = offset + length as u64;
    (offset / BLOCK..end.div_ceil(BLOCK)).map(move |block| {
        let from = offset.max(block * BLOCK);
        let to = end.min((block + 1) * BLOCK);
        (block, (from - block * BLOCK) as usize, (to - from) as usize)
    })
}

impl StorageBackend for OverlaidFile {
    fn len(&self) -> io::Result<u64> {
        Ok(self.written().length)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let written = self.written();
        let end = offset + out.len() as u64;
        if end > written.length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let is_untouched = written.blocks.range(offset / BLOCK..end.div_ceil(BLOCK)).next().is_none();
        if is_untouched && end <= written.length_of_file {
            drop(written);
            return self.file.read(offset, out);
        }
        let mut done = 0;
        for (block, from, length) in parts(offset, out.len()) {
            let bytes = match written.blocks.get(&block) {
                Some(bytes) => bytes[from..from + length].to_vec(),
                None => self.block_of_file(block, written.length_of_file)?[from..from + length].to_vec(),
            };
            out[done..done + length].copy_from_slice(&bytes);
            done += length;
        }
        Ok(())
    }

    fn set_len(&self, length: u64) -> io::Result<()> {
        let mut written = self.written();
        if length < written.length {
            // If the file grows again, the truncated part is zero.
            written.length_of_file = written.length_of_file.min(length);
            written.blocks.retain(|block, _| block * BLOCK < length);
            if let Some(last) = written.blocks.get_mut(&(length / BLOCK)) {
                last[(length % BLOCK) as usize..].fill(0);
            }
        }
        written.length = length;
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut written = self.written();
        let mut done = 0;
        for (block, from, length) in parts(offset, data.len()) {
            if !written.blocks.contains_key(&block) {
                let bytes = self.block_of_file(block, written.length_of_file)?;
                written.blocks.insert(block, bytes);
            }
            if let Some(bytes) = written.blocks.get_mut(&block) {
                bytes[from..from + length].copy_from_slice(&data[done..done + length]);
            }
            done += length;
        }
        written.length = written.length.max(offset + data.len() as u64);
        Ok(())
    }

    fn close(&self) -> io::Result<()> {
        self.file.close()
    }

    /// Others may read the file at the same time, but not write it.
    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.file.try_lock_shared_range(start, end)
    }

    fn try_lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.file.try_lock_shared_range(start, end)
    }

    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.file.unlock_range(start, end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again_and_the_file_stays_as_it_is() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        let bytes: Vec<u8> = (0..10_000_u32).map(|n| (n % 251) as u8 + 1).collect();
        std::fs::write(&path, &bytes).expect("the file");
        let file = OverlaidFile::open(&path).expect("it opens");
        let mut expected = bytes.clone();
        for (offset, length) in [(0, 3), (4_090, 12), (9_990, 40), (8_192, 4_096), (1, 9_000)] {
            let data = vec![(offset % 97) as u8; length];
            file.write(offset as u64, &data).expect("it is written");
            expected.resize(expected.len().max(offset + length), 0);
            expected[offset..offset + length].copy_from_slice(&data);
        }
        for length in [11_000, 5_000, 20_000, 0, 7_000] {
            file.set_len(length).expect("a length");
            expected.resize(length as usize, 0);
            let mut found = vec![9; expected.len()];
            file.read(0, &mut found).expect("it is read");
            assert!(found == expected, "with the length {length}");
            assert!(file.read(1, &mut found).is_err() || length == 0, "beyond the end");
        }
        assert!(std::fs::read(&path).expect("the file") == bytes);
    }
}

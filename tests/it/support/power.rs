//! A disk that loses power. The rule: what was synced is stored when the power is back; any part of the later writes may be stored, whole or torn
//! between two sectors, in any order, and so in each file independently of the other.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard};

use redb::StorageBackend;
use tidings::store::StoreError;
use tidings::store::embedded::EmbeddedStore;

use super::random::Random;

/// The unit that a disk writes whole or not at all.
const SECTOR: usize = 512;

/// The space of the log, if the test chooses no other.
const LOG_BYTES: u64 = 256 << 10;

/// A disk with the two files of a store; its clones are the same disk.
#[derive(Debug, Clone)]
pub struct Disk(Arc<Mutex<State>>);

/// What is on a disk: the store file, and its log.
#[derive(Debug, Clone, Default)]
pub struct Content([Vec<u8>; 2]);

#[derive(Debug)]
struct State {
    files: [FileState; 2],
    /// Writes and syncs until the power is lost.
    left: usize,
    syncs: usize,
    is_off: bool,
    random: Random,
}

/// A sync of one file says nothing about the writes of the other.
#[derive(Debug)]
struct FileState {
    synced: Vec<u8>,
    /// The content as the user of the disk sees it.
    written: Vec<u8>,
    /// The writes since the last sync.
    unsynced: Vec<Write>,
}

/// One of the files of a disk.
#[derive(Debug, Clone)]
struct DiskFile {
    disk: Disk,
    which: usize,
}

#[derive(Debug, Clone)]
enum Write {
    Bytes(usize, Vec<u8>),
    Length(usize),
}

impl Write {
    fn apply(&self, bytes: &mut Vec<u8>) {
        match self {
            Self::Length(length) => bytes.resize(*length, 0),
            Self::Bytes(offset, data) => {
                let end = offset + data.len();
                bytes.resize(bytes.len().max(end), 0);
                bytes[*offset..end].copy_from_slice(data);
            }
        }
    }

    /// The write as one write for each sector.
    fn sectors(self) -> Vec<Self> {
        let Self::Bytes(offset, data) = self else { return vec![self] };
        let first = (SECTOR - offset % SECTOR).min(data.len());
        let (head, rest) = data.split_at(first);
        let mut sectors = vec![Self::Bytes(offset, head.to_vec())];
        let parts = rest.chunks(SECTOR).zip((offset + first..).step_by(SECTOR));
        sectors.extend(parts.map(|(part, at)| Self::Bytes(at, part.to_vec())));
        sectors
    }
}

impl Disk {
    /// A disk with this content, and with power for this many writes and syncs.
    pub fn new(content: Content, left: usize, random: Random) -> Self {
        let file = |bytes: Vec<u8>| FileState { synced: bytes.clone(), written: bytes, unsynced: Vec::new() };
        let files = content.0.map(file);
        Self(Arc::new(Mutex::new(State { files, left, syncs: 0, is_off: false, random })))
    }

    /// The store on the disk.
    pub fn store(&self) -> Result<EmbeddedStore, StoreError> {
        self.store_with_log_of(LOG_BYTES)
    }

    /// The store, whose file is committed when the log has so many bytes.
    pub fn store_with_log_of(&self, bytes: u64) -> Result<EmbeddedStore, StoreError> {
        let file = |which| DiskFile { disk: self.clone(), which };
        EmbeddedStore::on_backends(file(0), file(1), bytes)
    }

    pub fn has_lost_power(&self) -> bool {
        self.state().is_off
    }

    /// How often its files were synced.
    pub fn syncs(&self) -> usize {
        self.state().syncs
    }

    /// The content after the power is back.
    pub fn content(&self) -> Content {
        let State { files, random, .. } = &mut *self.state();
        Content(files.each_mut().map(|file| file.content(random)))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().expect("no request panics")
    }
}

impl FileState {
    fn content(&mut self, random: &mut Random) -> Vec<u8> {
        let mut bytes = self.synced.clone();
        for write in std::mem::take(&mut self.unsynced) {
            match random.below(4) {
                0 => {}
                1 => write.apply(&mut bytes),
                _ => {
                    for sector in write.sectors() {
                        if random.chance(50) {
                            sector.apply(&mut bytes);
                        }
                    }
                }
            }
        }
        bytes
    }

    fn sync(&mut self) {
        for write in std::mem::take(&mut self.unsynced) {
            write.apply(&mut self.synced);
        }
    }
}

impl State {
    fn use_power(&mut self) -> io::Result<()> {
        self.is_off |= self.left == 0;
        self.left = self.left.saturating_sub(1);
        if self.is_off { Err(io::Error::other("the power is off")) } else { Ok(()) }
    }
}

impl DiskFile {
    fn write(&self, write: Write) -> io::Result<()> {
        let mut state = self.disk.state();
        state.use_power()?;
        let file = &mut state.files[self.which];
        write.apply(&mut file.written);
        file.unsynced.push(write);
        Ok(())
    }
}

impl StorageBackend for DiskFile {
    fn len(&self) -> io::Result<u64> {
        Ok(self.disk.state().files[self.which].written.len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let (state, offset) = (self.disk.state(), offset as usize);
        let found = state.files[self.which].written.get(offset..offset + out.len());
        out.copy_from_slice(found.ok_or_else(|| io::Error::from(io::ErrorKind::UnexpectedEof))?);
        Ok(())
    }

    fn set_len(&self, length: u64) -> io::Result<()> {
        self.write(Write::Length(length as usize))
    }

    fn sync_data(&self) -> io::Result<()> {
        let mut state = self.disk.state();
        let powered = state.use_power();
        state.syncs += 1;
        // The power may be lost after everything is written, and before the sync returns.
        if powered.is_ok() || (state.left == 0 && state.random.chance(50)) {
            state.files[self.which].sync();
        }
        powered
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        Self::write(self, Write::Bytes(offset as usize, data.to_vec()))
    }
}

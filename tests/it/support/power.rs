//! A disk that loses power. The rule: what was synced is stored when the power is back; any part of the later writes may be stored, whole or torn
//! between two sectors, in any order.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard};

use redb::StorageBackend;

use super::random::Random;

/// The unit that a disk writes whole or not at all.
const SECTOR: usize = 512;

/// A disk; its clones are the same disk.
#[derive(Debug, Clone)]
pub struct Disk(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    synced: Vec<u8>,
    /// The content as the user of the disk sees it.
    written: Vec<u8>,
    /// The writes since the last sync.
    unsynced: Vec<Write>,
    /// Writes and syncs until the power is lost.
    left: usize,
    syncs: usize,
    is_off: bool,
    random: Random,
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
    /// A disk with these bytes, and with power for this many writes and syncs.
    pub fn new(bytes: Vec<u8>, left: usize, random: Random) -> Self {
        let (synced, written) = (bytes.clone(), bytes);
        Self(Arc::new(Mutex::new(State {
            synced,
            written,
            unsynced: Vec::new(),
            left,
            syncs: 0,
            is_off: false,
            random,
        })))
    }

    pub fn has_lost_power(&self) -> bool {
        self.state().is_off
    }

    /// How often it was synced.
    pub fn syncs(&self) -> usize {
        self.state().syncs
    }

    /// The content after the power is back.
    pub fn bytes(&self) -> Vec<u8> {
        let mut state = self.state();
        let mut bytes = state.synced.clone();
        for write in std::mem::take(&mut state.unsynced) {
            match state.random.below(4) {
                0 => {}
                1 => write.apply(&mut bytes),
                _ => {
                    for sector in write.sectors() {
                        if state.random.chance(50) {
                            sector.apply(&mut bytes);
                        }
                    }
                }
            }
        }
        bytes
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().expect("no request panics")
    }

    fn write(&self, write: Write) -> io::Result<()> {
        let mut state = self.state();
        state.use_power()?;
        write.apply(&mut state.written);
        state.unsynced.push(write);
        Ok(())
    }
}

impl State {
    fn use_power(&mut self) -> io::Result<()> {
        self.is_off |= self.left == 0;
        self.left = self.left.saturating_sub(1);
        if self.is_off { Err(io::Error::other("the power is off")) } else { Ok(()) }
    }
}

impl StorageBackend for Disk {
    fn len(&self) -> io::Result<u64> {
        Ok(self.state().written.len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let (state, offset) = (self.state(), offset as usize);
        let found = state.written.get(offset..offset + out.len());
        out.copy_from_slice(found.ok_or_else(|| io::Error::from(io::ErrorKind::UnexpectedEof))?);
        Ok(())
    }

    fn set_len(&self, length: u64) -> io::Result<()> {
        self.write(Write::Length(length as usize))
    }

    fn sync_data(&self) -> io::Result<()> {
        let mut state = self.state();
        let powered = state.use_power();
        state.syncs += 1;
        // The power may be lost after everything is written, and before the sync returns.
        if powered.is_ok() || (state.left == 0 && state.random.chance(50)) {
            for write in std::mem::take(&mut state.unsynced) {
                write.apply(&mut state.synced);
            }
        }
        powered
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        Self::write(self, Write::Bytes(offset as usize, data.to_vec()))
    }
}

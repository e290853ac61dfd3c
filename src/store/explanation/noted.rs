//! What an explanation has noted. The rule: it grows with the fields of the document and with the keys that they request, both of which are bounded before
//! a request runs.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use super::explained::{Explained, ExplainedHits, ExplainedRequest, FieldPlace};
use super::purpose::Purpose;
use crate::store::{Key, StorageUse};

/// The fields that are named for one request; the others are only counted.
const PATHS_LISTED_MAX: usize = 20;
/// Bytes of all paths that are listed for requests and hits.
const PATH_BYTES_MAX: usize = 1 << 20;
/// The groups of hits that are listed; the hits of the others are only counted.
pub(super) const HITS_LISTED_MAX: usize = 1_000;

#[derive(Debug, Default)]
pub(super) struct Noted {
    /// The purposes, of which the number 1 is the first.
    pub purposes: Vec<PurposeNoted>,
    /// The fields, by the field that they are below and their place in the document.
    pub fields: HashMap<(Purpose, FieldPlace), Purpose>,
    /// Reads that several fields share, by the table and a name that is unique there.
    pub shared: HashMap<(&'static str, String), Purpose>,
    /// The purposes of single rows that are read by a batch, by its number and their table: batches that run at the same time may read the same row.
    rows: HashMap<(Option<u32>, &'static str), HashMap<Key, Purpose>>,
    pub requests: Vec<RequestNoted>,
    /// The requests without a purpose that are not listed.
    pub unlisted: Unlisted,
    /// The time from the beginning of the explanation to that of the execution.
    pub zero: Duration,
    pub hits: BTreeMap<(&'static str, Purpose), u64>,
    pub batches: u32,
}

#[derive(Debug, Default)]
pub(super) struct PurposeNoted {
    /// Set for a field: the purpose that it is below, and its response key.
    pub field: Option<(Purpose, String)>,
    /// The purposes that it serves.
    pub serves: BTreeSet<Purpose>,
    /// The field that started the read before any field requested it.
    pub prepared_by: Option<Purpose>,
    pub batch: Option<u32>,
    /// Whether each row that it reads has a purpose of its own.
    pub is_of_rows: bool,
    /// Whether it has found something that the client must not know of: then it looks as if its first request had found
    /// nothing.
    pub is_concealed: bool,
    /// Whether it is a step, and the round trip of its last request that was answered.
    pub step: Option<u32>,
    /// Its requests that are not listed.
    pub unlisted: Unlisted,
}

#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Unlisted {
    pub requests: u32,
    pub rows: u64,
    pub bytes: u64,
}

#[derive(Debug)]
pub(super) struct RequestNoted {
    pub purpose: Purpose,
    pub request: ExplainedRequest,
}

impl Noted {
    pub(super) fn add(&mut self, purpose: PurposeNoted) -> Purpose {
        self.purposes.push(purpose);
        Purpose(u32::try_from(self.purposes.len()).unwrap_or(u32::MAX))
    }

    pub(super) fn find(&self, purpose: Purpose) -> Option<&PurposeNoted> {
        self.purposes.get((purpose.0 as usize).checked_sub(1)?)
    }

    pub(super) fn get(&mut self, purpose: Purpose) -> Option<&mut PurposeNoted> {
        self.purposes.get_mut((purpose.0 as usize).checked_sub(1)?)
    }

    pub(super) fn unlisted(&mut self, purpose: Purpose) -> &mut Unlisted {
        match (purpose.0 as usize).checked_sub(1) {
            Some(at) if at < self.purposes.len() => &mut self.purposes[at].unlisted,
            _ => &mut self.unlisted,
        }
    }

    pub(super) fn serve(&mut self, purpose: Purpose, served: Purpose) {
        if served == Purpose::NONE || served == purpose {
            return;
        }
        if let Some(noted) = self.get(purpose) {
            noted.serves.insert(served);
        }
    }

    fn batch_of(&self, purpose: Purpose) -> Option<u32> {
        self.find(purpose).and_then(|noted| noted.batch)
    }

    /// Notes that the batch of the purpose reads this row for it. Within one batch, a row is read once for all.
    pub(super) fn note_row(&mut self, table: &'static str, key: &Key, purpose: Purpose) {
        let batch = self.batch_of(purpose);
        let known = self.rows.get(&(batch, table)).and_then(|rows| rows.get(key)).copied();
        let purpose = match known.filter(|known| *known != purpose) {
            None => purpose,
            Some(known) => self.add(PurposeNoted { serves: [known, purpose].into(), batch, ..PurposeNoted::default() }),
        };
        self.rows.entry((batch, table)).or_default().insert(key.clone(), purpose);
    }

    /// The purpose for which a batch reads a row.
    pub(super) fn of_row(&self, of_batch: Purpose, table: &'static str, key: &Key) -> Option<Purpose> {
        self.rows.get(&(self.batch_of(of_batch), table))?.get(key).copied()
    }

    pub(super) fn purpose_of(&self, table: &'static str, key: &Key) -> Purpose {
        let current = Purpose::current();
        match self.find(current) {
            Some(PurposeNoted { is_of_rows: true, .. }) => self.of_row(current, table, key).unwrap_or(current),
            _ => current,
        }
    }

    /// The fields that a purpose serves; if no field has requested it, the field that has prepared it.
    fn served(&self, purpose: Purpose) -> BTreeSet<Purpose> {
        let (mut fields, mut prepared) = (BTreeSet::new(), BTreeSet::new());
        let (mut seen, mut next) = (BTreeSet::from([purpose]), vec![purpose]);
        while let Some(purpose) = next.pop() {
            let Some(noted) = self.find(purpose) else { continue };
            if noted.field.is_some() {
                fields.insert(purpose);
            }
            prepared.extend(noted.prepared_by);
            next.extend(noted.serves.iter().filter(|served| seen.insert(**served)));
        }
        if fields.is_empty() { prepared } else { fields }
    }

    /// The path of each field.
    fn paths_of_fields(&self) -> HashMap<Purpose, Arc<str>> {
        let mut paths: HashMap<Purpose, Arc<str>> = HashMap::new();
        // A field is noted after the one that it is below.
        for (noted, purpose) in self.purposes.iter().zip((1..).map(Purpose)) {
            if let Some((below, key)) = &noted.field {
                let path = paths.get(below).map_or_else(|| key.clone(), |path| format!("{path}.{key}"));
                paths.insert(purpose, path.into());
            }
        }
        paths
    }

    pub(super) fn explained(&self, now: Duration) -> Explained {
        let mut listing = Listing { noted: self, paths: self.paths_of_fields(), path_bytes: 0 };
        let mut explained = Explained { elapsed: now.saturating_sub(self.zero), ..Explained::default() };
        let (mut begun, mut concealed) = (BTreeSet::new(), StorageUse::default());
        for RequestNoted { purpose, request } in &self.requests {
            let mut request = request.clone();
            request.start = request.start.saturating_sub(self.zero);
            if self.find(*purpose).is_some_and(|noted| noted.is_concealed) {
                concealed.rows += request.rows;
                concealed.bytes += request.bytes;
                if !begun.insert(*purpose) {
                    concealed.point_reads += 1;
                    continue;
                }
                (request.rows, request.bytes) = (0, 0);
            }
            listing.count(*purpose, 1, &mut explained.requests_of);
            (request.paths, request.paths_not_listed) = listing.paths(*purpose);
            explained.requests.push(request);
        }
        for (noted, purpose) in self.purposes.iter().zip((1..).map(Purpose)) {
            let mut unlisted = noted.unlisted;
            if noted.is_concealed {
                concealed.rows += unlisted.rows;
                concealed.bytes += unlisted.bytes;
                let shown = u32::from(unlisted.requests > 0 && !begun.contains(&purpose));
                concealed.point_reads += unlisted.requests - shown;
                unlisted.requests = shown;
            }
            explained.not_listed += u64::from(unlisted.requests);
            listing.count(purpose, u64::from(unlisted.requests), &mut explained.requests_of);
        }
        explained.not_listed += u64::from(self.unlisted.requests);
        let mut hits: BTreeMap<(&'static str, BTreeSet<Purpose>), u64> = BTreeMap::new();
        for ((table, purpose), count) in &self.hits {
            *hits.entry((table, self.served(*purpose))).or_default() += count;
        }
        for (number, ((table, fields), count)) in hits.into_iter().enumerate() {
            if number >= HITS_LISTED_MAX {
                explained.hits_not_listed += count;
                continue;
            }
            let (paths, paths_not_listed) = listing.of_fields(&fields);
            explained.hits.push(ExplainedHits { table, count, paths, paths_not_listed });
        }
        Explained { concealed, ..explained }
    }
}

/// Lists paths as long as there are not too many of them.
struct Listing<'n> {
    noted: &'n Noted,
    paths: HashMap<Purpose, Arc<str>>,
    path_bytes: usize,
}

impl Listing<'_> {
    fn paths(&mut self, purpose: Purpose) -> (Vec<Arc<str>>, u64) {
        self.of_fields(&self.noted.served(purpose))
    }

    /// The paths in alphabetical order, each once, and how many there are beside these.
    fn of_fields(&mut self, fields: &BTreeSet<Purpose>) -> (Vec<Arc<str>>, u64) {
        let all: BTreeSet<&Arc<str>> = fields.iter().filter_map(|field| self.paths.get(field)).collect();
        let count = all.len();
        let mut listed = Vec::with_capacity(count.min(PATHS_LISTED_MAX));
        for path in all.into_iter().take(PATHS_LISTED_MAX) {
            self.path_bytes += path.len();
            if self.path_bytes > PATH_BYTES_MAX {
                break;
            }
            listed.push(Arc::clone(path));
        }
        let not_listed = (count - listed.len()) as u64;
        (listed, not_listed)
    }

    /// Adds requests to each field that they served.
    fn count(&self, purpose: Purpose, requests: u64, into: &mut HashMap<Arc<str>, u64>) {
        if requests == 0 {
            return;
        }
        let served = self.noted.served(purpose);
        let paths: BTreeSet<&Arc<str>> = served.iter().filter_map(|field| self.paths.get(field)).collect();
        paths.into_iter().for_each(|path| *into.entry(Arc::clone(path)).or_default() += requests);
    }
}

//! The documents of an index, in memory or in a folder. The rule: a search finds the documents of every [`Index::update`] that returned before it.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use tantivy::directory::MmapDirectory;
use tantivy::store::Compressor;
use tantivy::{IndexReader, IndexSettings, IndexWriter, ReloadPolicy, Searcher, Term};

use crate::document::{Document, Fields};

/// The memory for the words of a change before they become a segment: slightly above tantivy's minimum.
const WRITER_BYTES: usize = 16 << 20;

#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    #[error("the search index failed")]
    Failed(#[from] tantivy::TantivyError),
    #[error("the search index is damaged: {0} of its files are not as they were written")]
    Damaged(usize),
    #[error("the folder of the search index cannot be used")]
    Folder(#[from] std::io::Error),
}

impl IndexError {
    /// Whether the error is that another process has the index open.
    pub fn is_in_use(&self) -> bool {
        matches!(self, Self::Failed(tantivy::TantivyError::LockFailure(..)))
    }
}

pub struct Index {
    writer: Mutex<IndexWriter>,
    reader: IndexReader,
    pub(crate) fields: Fields,
}

impl Index {
    /// # Errors
    /// If no thread can be started.
    pub fn in_memory() -> Result<Self, IndexError> {
        Self::of(tantivy::Index::builder().schema(Fields::schema().0).settings(settings()).create_in_ram()?)
    }

    /// The index in this existing folder; a new index if the folder is empty.
    ///
    /// # Errors
    /// If the index is damaged, has another format or is used by another process, or if the folder cannot be used.
    pub fn open(folder: &Path) -> Result<Self, IndexError> {
        let directory = MmapDirectory::open(folder).map_err(tantivy::TantivyError::from)?;
        let builder = tantivy::Index::builder().schema(Fields::schema().0).settings(settings());
        let index = builder.open_or_create(directory)?;
        match index.validate_checksum()?.len() {
            0 => Self::of(index),
            damaged => Err(IndexError::Damaged(damaged)),
        }
    }

    fn of(inner: tantivy::Index) -> Result<Self, IndexError> {
        let writer = Mutex::new(inner.writer_with_num_threads(1, WRITER_BYTES)?);
        let reader = inner.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        Ok(Self { writer, reader, fields: Fields::schema().1 })
    }

    /// Replaces documents by key, and removes others. After an error, the index is unchanged.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub fn update(&self, documents: &[Document], removed: &[u64]) -> Result<(), IndexError> {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let searcher = self.searcher();
        let count = |key: &u64| searcher.doc_freq(&Term::from_field_u64(self.fields.key, *key));
        // A commit syncs files, and most changes affect only one of two indexes.
        if documents.is_empty() && removed.iter().map(count).sum::<tantivy::Result<u64>>()? == 0 {
            return Ok(());
        }
        let updated = (|| {
            for key in documents.iter().map(|document| document.key).chain(removed.iter().copied()) {
                writer.delete_term(Term::from_field_u64(self.fields.key, key));
            }
            for document in documents {
                writer.add_document(document.to_indexed(self.fields))?;
            }
            writer.commit()
        })();
        if let Err(error) = updated {
            writer.rollback()?;
            return Err(error.into());
        }
        Ok(self.reader.reload()?)
    }

    /// Starts to use segments that were merged after the last commit: searches are faster over fewer segments.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn use_merged(&self) -> Result<(), IndexError> {
        // The lock excludes a commit, so that the reader does not return to an older state.
        let _writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let searcher = self.searcher();
        if searcher.index().searchable_segment_ids()?.len() != searcher.segment_readers().len() {
            self.reader.reload()?;
        }
        Ok(())
    }

    /// The digest of each document, by its key.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn digests(&self) -> Result<HashMap<u64, u64>, IndexError> {
        let mut digests = HashMap::new();
        for segment in self.searcher().segment_readers() {
            let key = segment.fast_fields().u64("key")?;
            let digest = segment.fast_fields().u64("digest")?;
            digests.extend(segment.doc_ids_alive().filter_map(|id| Some((key.first(id)?, digest.first(id)?))));
        }
        Ok(digests)
    }

    /// The keys of the documents that have this label.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn labelled(&self, label: &str) -> Result<Vec<u64>, IndexError> {
        let term = Term::from_field_text(self.fields.labels, label);
        let query = tantivy::query::TermQuery::new(term, tantivy::schema::IndexRecordOption::Basic);
        let searcher = self.searcher();
        let found = searcher.search(&query, &tantivy::collector::DocSetCollector)?;
        let mut keys = Vec::with_capacity(found.len());
        for address in found {
            let key = searcher.segment_reader(address.segment_ord).fast_fields().u64("key")?;
            keys.extend(key.first(address.doc_id));
        }
        Ok(keys)
    }

    pub fn documents(&self) -> u64 {
        self.searcher().num_docs()
    }

    /// The size of the index in memory or in its folder.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn bytes(&self) -> Result<u64, IndexError> {
        Ok(self.searcher().space_usage().map_err(tantivy::TantivyError::from)?.total().get_bytes())
    }

    pub(crate) fn searcher(&self) -> Searcher {
        self.reader.searcher()
    }
}

fn settings() -> IndexSettings {
    // The index stores no documents, because their texts are in the store.
    IndexSettings { docstore_compression: Compressor::None, ..IndexSettings::default() }
}

#[cfg(test)]
mod tests {
    use std::io::{self, Write};
    use std::path::Path;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tantivy::directory::error::{DeleteError, OpenReadError, OpenWriteError};
    use tantivy::directory::{
        AntiCallToken, Directory, FileHandle, RamDirectory, TerminatingWrite, WatchCallback, WatchHandle, WritePtr,
    };

    use super::*;
    use crate::{Page, Query, View};

    /// A disk that is full after this many writes.
    #[derive(Debug, Clone)]
    struct Disk {
        inner: RamDirectory,
        left: Arc<AtomicUsize>,
    }

    struct File(WritePtr, Arc<AtomicUsize>);

    fn take(left: &AtomicUsize) -> io::Result<()> {
        let taken = left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        taken.map(drop).map_err(|_| io::ErrorKind::StorageFull.into())
    }

    impl Write for File {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            take(&self.1)?;
            self.0.write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            self.0.flush()
        }
    }

    impl TerminatingWrite for File {
        fn terminate_ref(&mut self, token: AntiCallToken) -> io::Result<()> {
            take(&self.1)?;
            self.0.terminate_ref(token)
        }
    }

    impl Directory for Disk {
        fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
            self.inner.get_file_handle(path)
        }

        fn delete(&self, path: &Path) -> Result<(), DeleteError> {
            self.inner.delete(path)
        }

        fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
            self.inner.exists(path)
        }

        fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
            take(&self.left).map_err(|error| OpenWriteError::wrap_io_error(error, path.to_owned()))?;
            let file = File(self.inner.open_write(path)?, Arc::clone(&self.left));
            Ok(io::BufWriter::new(Box::new(file)))
        }

        fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
            self.inner.atomic_read(path)
        }

        fn atomic_write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
            take(&self.left)?;
            self.inner.atomic_write(path, bytes)
        }

        fn sync_directory(&self) -> io::Result<()> {
            take(&self.left)
        }

        fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
            self.inner.watch(callback)
        }
    }

    fn open(disk: &Disk) -> Index {
        let builder = tantivy::Index::builder().schema(Fields::schema().0).settings(settings());
        Index::of(builder.open_or_create(disk.clone()).expect("an index")).expect("a writer")
    }

    fn document(key: u64) -> Document {
        Document { key, title: "Heron".to_owned(), ..Document::default() }
    }

    fn found(index: &Index) -> usize {
        let view = View::of(&[index]).expect("a view");
        let query = Query::parse("heron ").expect("a query");
        view.find(&query, &Page { first: 10, ..Page::default() }).expect("it is found").hits.len()
    }

    #[test]
    fn a_full_disk_at_any_write_is_an_error_and_loses_nothing_that_was_found() {
        for writes in 0.. {
            let disk = Disk { inner: RamDirectory::create(), left: Arc::new(AtomicUsize::new(usize::MAX)) };
            let index = open(&disk);
            index.update(&[document(1)], &[]).expect("there is space");
            disk.left.store(writes, Ordering::SeqCst);
            let updated = index.update(&[document(2)], &[]);
            let is_done = updated.is_ok();
            if !is_done {
                assert_eq!(found(&index), 1, "after {writes} writes");
            }
            disk.left.store(usize::MAX, Ordering::SeqCst);
            drop(index);
            let index = open(&disk);
            index.update(&[document(2), document(3)], &[]).expect("there is space again");
            assert_eq!(found(&index), 3, "after {writes} writes");
            if is_done {
                assert!(writes > 5, "{writes} writes were enough");
                return;
            }
        }
    }
}

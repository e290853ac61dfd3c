//! A store file for several processes: the server that has it open carries out the requests of the other processes, which they send over a Unix socket next to
//! the file. The rule: a request of another process has the same effect as in the server, so it also invalidates the server's caches.
//!
//! Requests and replies alternate on each connection, as JSON frames that are preceded by their length. The server runs a transaction of a client as one plan:
//! it answers the reads of the plan until the client sends the writes. All other writes wait for that long, so a client that is paused for [`PLAN_PAUSE_MAX`]
//! in between, or needs more than [`PLAN_MAX`], loses its transaction.

mod client;
mod connections;
mod message;
mod server;

use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub use client::SocketStore;
pub use server::SocketServer;

const FILE_NAME: &str = "tidings.sock";
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The maximum wait for the next message of a plan.
const PLAN_PAUSE_MAX: Duration = Duration::from_secs(3);
/// The maximum time of a whole plan.
const PLAN_MAX: Duration = Duration::from_secs(20);

/// The path of the socket in the folder of a store. The path of a socket has at most 107 bytes ("unix(7)"), so on Linux the folder is named by a descriptor,
/// which stays open as long as the first returned value exists.
fn path_in(folder: &Path) -> std::io::Result<(File, PathBuf)> {
    let open = File::open(folder)?;
    let folder = match cfg!(target_os = "linux") {
        true => PathBuf::from(format!("/proc/self/fd/{}", open.as_raw_fd())),
        false => folder.to_owned(),
    };
    Ok((open, folder.join(FILE_NAME)))
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::unix::net::UnixStream;
    use std::sync::Arc;
    use std::thread::sleep;

    use super::message::{Answer, Reply, Request, receive, send};
    use super::*;
    use crate::store::embedded::EmbeddedStore;
    use crate::store::{Key, Properties, RowWrite, Store, StoreError, TableStore, Value};

    const TABLE: &str = "Rows";

    fn listen() -> (tempfile::TempDir, Store, SocketServer) {
        let folder = tempfile::tempdir().expect("a folder");
        let store: Store = Arc::new(EmbeddedStore::in_memory().expect("a store"));
        let server = SocketServer::listen(folder.path(), Arc::clone(&store), &[TABLE]).expect("it listens");
        (folder, store, server)
    }

    fn connect(folder: &Path) -> SocketStore {
        SocketStore::connect(folder).expect("a connection").expect("a server")
    }

    fn put(row: &str) -> RowWrite {
        let mut properties = Properties::new();
        properties.set("N", Value::Int32(1));
        RowWrite::put(TABLE, key(row), properties)
    }

    fn key(row: &str) -> Key {
        Key::new("p", row).expect("a key")
    }

    /// Runs a plan that pauses and then reads a row, and later another transaction of the same client.
    #[tokio::test(flavor = "multi_thread")]
    async fn a_client_that_is_paused_in_a_transaction_loses_it_and_the_others_go_on() {
        let (folder, store, _server) = listen();
        store.transact(Box::new(|_| Ok(vec![put("stored")]))).await.expect("it is written");
        let client = Arc::new(connect(folder.path()));
        let (begun, running) = tokio::sync::oneshot::channel();
        let (mut begun, pausing) = (Some(begun), Arc::clone(&client));
        let paused = tokio::spawn(async move {
            let plan = move |rows: &dyn crate::store::Rows| {
                begun.take().expect("it runs once").send(()).expect("the test waits");
                sleep(PLAN_PAUSE_MAX + Duration::from_secs(2));
                rows.expect(&[(TABLE, key("stored")), (TABLE, key("paused"))]);
                // A read that fails in `expect` must not look like an absent row.
                let _ = rows.get(TABLE, &key("stored"));
                Ok(vec![put("paused")])
            };
            pausing.transact(Box::new(plan)).await
        });
        running.await.expect("the plan runs");
        store.transact(Box::new(|_| Ok(vec![put("other")]))).await.expect("the others go on");
        let lost = paused.await.expect("no panic").expect_err("its transaction is lost");
        assert!(matches!(&lost, StoreError::Unavailable { what, .. } if what.contains("was paused")), "{lost:?}");
        for (row, is_there) in [("stored", true), ("other", true), ("paused", false)] {
            let read = client.get(TABLE, &key(row)).await.expect("a read");
            assert_eq!(read.map(|row| row.key), is_there.then(|| key(row)), "{row}");
        }
        client.transact(Box::new(|_| Ok(vec![put("later")]))).await.expect("the client goes on");
        assert!(store.get(TABLE, &key("later")).await.expect("a read").is_some());
    }

    /// The plan reads nothing after its pause, so the client finds out when it sends the rows.
    #[tokio::test(flavor = "multi_thread")]
    async fn a_client_that_is_paused_before_it_writes_goes_on_with_another_connection() {
        let (folder, store, _server) = listen();
        let client = connect(folder.path());
        let plan = |rows: &dyn crate::store::Rows| {
            rows.get(TABLE, &key("absent"))?;
            sleep(PLAN_PAUSE_MAX + Duration::from_secs(2));
            Ok(vec![put("paused")])
        };
        client.transact(Box::new(plan)).await.expect_err("its transaction is lost");
        assert!(client.get(TABLE, &key("paused")).await.expect("a read").is_none());
        client.transact(Box::new(|_| Ok(vec![put("later")]))).await.expect("the client goes on");
        assert!(store.get(TABLE, &key("later")).await.expect("a read").is_some());
    }

    /// The reply is larger than the buffers of the socket.
    #[tokio::test(flavor = "multi_thread")]
    async fn a_client_that_does_not_read_a_reply_loses_its_transaction() {
        let (folder, store, _server) = listen();
        let mut properties = Properties::new();
        for n in 0..12 {
            properties.set(&format!("P{n}"), Value::Binary(Arc::from(vec![7; 60_000])));
        }
        for row in 0..4 {
            let put = RowWrite::put(TABLE, key(&format!("large-{row}")), properties.clone());
            store.transact(Box::new(move |_| Ok(vec![put.clone()]))).await.expect("it is written");
        }
        let (_open, path) = path_in(folder.path()).expect("a path");
        let ended = tokio::task::spawn_blocking(move || {
            let mut stream = UnixStream::connect(path).expect("a connection");
            send(&mut stream, &Request::Hello(VERSION.to_owned())).expect("a request");
            receive::<Reply>(&mut stream).expect("a reply").expect("a server");
            send(&mut stream, &Request::Plan).expect("a request");
            receive::<Reply>(&mut stream).expect("a reply").expect("a plan");
            let keys = (0..4).map(|row| key(&format!("large-{row}"))).collect();
            send(&mut stream, &Request::Get(TABLE.to_owned(), keys)).expect("a request");
            // A partial write ends without an error; the next one waits again.
            sleep(2 * PLAN_PAUSE_MAX + Duration::from_secs(3));
            receive::<Reply>(&mut stream).map(drop)
        });
        assert!(ended.await.expect("no panic").is_err(), "the reply was sent as a whole");
        store.transact(Box::new(|_| Ok(vec![put("other")]))).await.expect("the others go on");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn many_reads_at_once_share_a_few_connections() {
        let (folder, store, server) = listen();
        store.transact(Box::new(|_| Ok(vec![put("stored")]))).await.expect("it is written");
        let client = Arc::new(connect(folder.path()));
        let read = || {
            let client = Arc::clone(&client);
            tokio::spawn(async move { client.get(TABLE, &key("stored")).await })
        };
        let reads: Vec<_> = (0..500).map(|_| read()).collect();
        for read in reads {
            assert!(read.await.expect("no panic").expect("a read").is_some());
        }
        assert!(server.connections() <= connections::CONNECTIONS_MAX, "{}", server.connections());
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_client_of_another_version_is_told_so() {
        let (folder, _store, _server) = listen();
        let (_open, path) = path_in(folder.path()).expect("a path");
        let mut stream = UnixStream::connect(path).expect("a connection");
        let answered = tokio::task::spawn_blocking(move || {
            send(&mut stream, &Request::Hello("0.0.1".to_owned())).expect("a request");
            receive::<Reply>(&mut stream)
        });
        let reply = answered.await.expect("no panic").expect("a reply");
        assert!(matches!(reply, Err(StoreError::Locked(what)) if what.contains("another version")));
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn what_is_no_request_closes_the_connection_and_no_other() {
        let (folder, _store, _server) = listen();
        for bytes in [&b"GET / HTTP/1.1\r\n\r\n"[..], &[2, 0, 0, 0, b'{', b'}'], &[255; 12]] {
            let (_open, path) = path_in(folder.path()).expect("a path");
            let mut stream = UnixStream::connect(path).expect("a connection");
            stream.write_all(bytes).expect("they are sent");
            let closed = tokio::task::spawn_blocking(move || receive::<Reply>(&mut stream).map(|_| ()));
            assert!(closed.await.expect("no panic").is_err());
        }
        connect(folder.path()).ping().await.expect("the server goes on");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_server_stops_while_clients_are_connected() {
        let (folder, _store, server) = listen();
        let client = connect(folder.path());
        client.ping().await.expect("an answer");
        server.stop().await;
        assert!(matches!(client.ping().await, Err(StoreError::Unavailable { .. })));
        assert!(SocketStore::connect(folder.path()).expect("no error").is_none());
    }

    #[test]
    fn a_row_is_the_same_after_it_was_sent() {
        let mut properties = Properties::new();
        for (name, value) in [
            ("S", Value::String("ü\0\n".into())),
            ("I", Value::Int32(-1)),
            ("L", Value::Int64(i64::MIN)),
            ("B", Value::Boolean(true)),
            ("D", Value::DateTime(i64::MAX)),
            ("X", Value::Binary(Arc::from(&[0_u8, 255][..]))),
        ] {
            properties.set(name, value);
        }
        let row = crate::store::Entity {
            key: Key::new("p", "r").expect("a key"),
            etag: crate::store::Etag("1f".into()),
            properties,
        };
        let mut bytes = Vec::new();
        send(&mut bytes, &Reply::Ok(Answer::Rows(vec![Ok(Some(row.clone()))]))).expect("it is written");
        let Ok(Answer::Rows(mut rows)) = receive::<Reply>(&mut bytes.as_slice()).expect("it is read") else {
            panic!("another answer");
        };
        assert_eq!(rows.pop().expect("a row").expect("no error"), Some(row));
    }
}

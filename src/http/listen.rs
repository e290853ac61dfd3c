//! The listening socket. The rule: its queue is long enough for connections that arrive at the same time, because the system drops
//! connections beyond the queue, and their clients retry only after a second.

use std::{io, net::SocketAddr};

use tokio::net::{TcpListener, TcpSocket, lookup_host};

/// Connections that the system queues until they are accepted. Linux queues at most `net.core.somaxconn`, 4,096 by default; libraries
/// usually set 128.
const QUEUE_MAX: u32 = 4_096;

/// Listens on the first usable address of this name and port.
///
/// # Errors
/// If the name is unknown, or the error of the last address.
pub async fn listen(address: &str) -> io::Result<TcpListener> {
    let mut failure = io::Error::new(io::ErrorKind::InvalidInput, "the name has no address");
    for address in lookup_host(address).await? {
        match listen_at(address) {
            Ok(listener) => return Ok(listener),
            Err(error) => failure = error,
        }
    }
    Err(failure)
}

fn listen_at(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // Allows a restart of the server while connections of the previous process end.
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(QUEUE_MAX)
}

#[cfg(test)]
mod tests {
    use std::net::TcpStream;
    use std::time::Duration;

    use super::*;

    /// 600 connections: many more than 128, and fewer than a process may have open.
    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn connections_of_a_flood_wait_until_they_are_accepted() {
        let listener = listen("127.0.0.1:0").await.expect("a socket");
        let address = listener.local_addr().expect("an address");
        let connect =
            |_| TcpStream::connect_timeout(&address, Duration::from_secs(60)).expect("net.core.somaxconn of 600");
        let waiting: Vec<_> = (0..600).map(connect).collect();
        for _ in &waiting {
            listener.accept().await.expect("a connection");
        }
    }

    #[tokio::test]
    async fn an_address_in_use_is_an_error() {
        let listener = listen("127.0.0.1:0").await.expect("a socket");
        let again = listen(&listener.local_addr().expect("an address").to_string()).await;
        assert_eq!(again.expect_err("it is in use").kind(), io::ErrorKind::AddrInUse);
        assert!(listen("127.0.0.1").await.is_err(), "without a port");
    }
}

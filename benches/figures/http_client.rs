//! A client that costs almost nothing: one kept connection, one request after another, bodies by `Content-Length`.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};

pub struct Client {
    stream: BufReader<TcpStream>,
    body: Vec<u8>,
}

impl Client {
    pub fn connect(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        Ok(Self { stream: BufReader::new(stream), body: Vec::new() })
    }

    /// Sends a GraphQL document and returns the body of the response.
    pub fn query(&mut self, document: &str) -> io::Result<&[u8]> {
        let body = serde_json::json!({ "query": document }).to_string();
        let head = format!(
            "POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        Ok(self.send(format!("{head}{body}").as_bytes())?.1)
    }

    /// Sends a whole request and returns the status and the body of the response.
    pub fn send(&mut self, request: &[u8]) -> io::Result<(u16, &[u8])> {
        self.stream.get_mut().write_all(request)?;
        let (mut length, mut status) = (0, 0);
        let mut line = String::new();
        loop {
            line.clear();
            if self.stream.read_line(&mut line)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            match line.trim_end().to_ascii_lowercase().split_once(':') {
                Some(("content-length", text)) => length = text.trim().parse().map_err(io::Error::other)?,
                Some(_) => {}
                None if line.trim_end().is_empty() => break,
                // The first line: the version, the status and its name.
                None => status = line.split(' ').nth(1).and_then(|text| text.parse().ok()).unwrap_or_default(),
            }
        }
        self.body.resize(length, 0);
        self.stream.read_exact(&mut self.body)?;
        Ok((status, &self.body))
    }
}

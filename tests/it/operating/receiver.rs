//! A receiver of traces by OTLP: protobuf over HTTP. It decodes the requests with the message types of the protocol.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message;

/// Listens until the test ends.
pub struct Receiver {
    address: String,
    received: Arc<Mutex<Vec<Received>>>,
}

struct Received {
    head: String,
    message: ExportTraceServiceRequest,
}

impl Receiver {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address").to_string();
        let received = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&received);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let kept = Arc::clone(&kept);
                std::thread::spawn(move || take(stream, &kept));
            }
        });
        Self { address, received }
    }

    /// The value for `OTEL_EXPORTER_OTLP_ENDPOINT`.
    pub fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The spans received so far.
    pub fn spans(&self) -> Vec<Span> {
        let received = self.received.lock().expect("no thread panics with it");
        let resources = received.iter().flat_map(|received| &received.message.resource_spans);
        resources.flat_map(|resource| &resource.scope_spans).flat_map(|scope| scope.spans.clone()).collect()
    }

    /// The heads of the requests received so far.
    pub fn heads(&self) -> Vec<String> {
        self.received.lock().expect("no thread panics with it").iter().map(|received| received.head.clone()).collect()
    }

    /// The `service.name` of the sender.
    pub fn service_name(&self) -> Option<String> {
        let received = self.received.lock().expect("no thread panics with it");
        let resource = received.first()?.message.resource_spans.first()?.resource.clone()?;
        let attribute = resource.attributes.into_iter().find(|attribute| attribute.key == "service.name")?;
        match attribute.value?.value? {
            Value::StringValue(name) => Some(name),
            _ => None,
        }
    }
}

/// Receives the requests of one connection.
fn take(stream: TcpStream, kept: &Mutex<Vec<Received>>) {
    let mut reader = BufReader::new(stream);
    loop {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if reader.read_line(&mut head).unwrap_or(0) == 0 {
                return;
            }
        }
        let length = head.to_lowercase().lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
        let mut body = vec![0; length.expect("a length")];
        reader.read_exact(&mut body).expect("a body");
        let message = ExportTraceServiceRequest::decode(body.as_slice()).expect("OTLP");
        kept.lock().expect("no thread panics with it").push(Received { head, message });
        let answer = b"HTTP/1.1 200 OK\r\ncontent-type: application/x-protobuf\r\ncontent-length: 0\r\n\r\n";
        reader.get_mut().write_all(answer).expect("an answer");
    }
}

/// The value of an attribute as text, if the span has it.
pub fn attribute(span: &Span, key: &str) -> Option<String> {
    let found = span.attributes.iter().find(|attribute| attribute.key == key)?;
    match found.value.clone()?.value? {
        Value::StringValue(text) => Some(text),
        Value::IntValue(number) => Some(number.to_string()),
        other => panic!("{key} is {other:?}"),
    }
}

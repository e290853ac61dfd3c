//! Receives a file. The rule: its bytes go to an unnamed file, which disappears with the process, and are never in memory together.

use std::fs::File;

use axum::{
    body::Body,
    http::{HeaderMap, StatusCode, header},
};
use http_body_util::BodyExt;
use tokio::io::AsyncWriteExt;
use tokio::time::timeout;

use crate::assets::{AssetError, AssetLibrary};
use crate::graphql::error::Code;
use crate::http::answer::RequestFailure;
use crate::http::body::{declared_length, waits_for_consent};

/// `name`: the file name, if the client has sent one.
pub(super) async fn receive(
    headers: &mut HeaderMap,
    body: &mut Body,
    assets: &AssetLibrary,
    name: Option<&str>,
) -> Result<File, RequestFailure> {
    let limits = assets.limits();
    let bytes_max = limits.bytes_of(name);
    if waits_for_consent(headers) && declared_length(headers) > bytes_max {
        return Err(too_large(bytes_max));
    }
    // From here on the client sends its file, and reads a refusal only if the rest is discarded.
    headers.remove(header::EXPECT);
    match timeout(limits.file_time, write(body, assets, bytes_max)).await {
        Ok(received) => received,
        Err(_elapsed) => {
            let message = format!("The file did not arrive within {:?}.", limits.file_time);
            Err(RequestFailure::new(StatusCode::REQUEST_TIMEOUT, Code::RequestTimeout, message))
        }
    }
}

async fn write(body: &mut Body, assets: &AssetLibrary, bytes_max: u64) -> Result<File, RequestFailure> {
    let mut file = tokio::fs::File::from_std(assets.temporary_file().await?);
    let mut bytes_left = bytes_max;
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_broken| RequestFailure::bad_request("The file ended before it was complete."))?;
        let chunk = frame.into_data().unwrap_or_default();
        bytes_left = bytes_left.checked_sub(chunk.len() as u64).ok_or_else(|| too_large(bytes_max))?;
        file.write_all(&chunk).await.map_err(no_place)?;
    }
    file.flush().await.map_err(no_place)?;
    Ok(file.into_std().await)
}

fn too_large(bytes_max: u64) -> RequestFailure {
    let message = format!("The file has more than {bytes_max} bytes, which is the limit.");
    RequestFailure::new(StatusCode::PAYLOAD_TOO_LARGE, Code::PayloadTooLarge, message)
}

fn no_place(error: std::io::Error) -> RequestFailure {
    AssetError::NoTemporaryFile(error.to_string()).into()
}

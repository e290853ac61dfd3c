//! A bucket of Amazon S3, or of a service with the same protocol (MinIO, Cloudflare R2, Garage and others). The rule: it uses only requests that all of them
//! support: PUT, GET, HEAD and DELETE of an object.

use object_store::Result;
use object_store::aws::{AmazonS3, AmazonS3Builder};

use super::http::{Http, Protocol};
use super::retries;
use crate::assets::error::AssetError;
use crate::assets::place::S3Bucket;

pub(super) fn store(place: &S3Bucket) -> Result<AmazonS3, AssetError> {
    let http = Http::new(Protocol::S3, place.endpoint.as_deref())?;
    let builder = AmazonS3Builder::new()
        .with_bucket_name(place.name.clone())
        .with_region(place.region.clone())
        .with_access_key_id(place.access_key_id.clone())
        .with_secret_access_key(place.secret_access_key.clone())
        // Some services do not have DeleteObjects, which deletes several objects with one request.
        .with_disable_bulk_delete(true)
        .with_retry(retries())
        .with_http_connector(http);
    let builder = match &place.endpoint {
        Some(endpoint) => builder.with_endpoint(endpoint.trim_end_matches('/')),
        None => builder,
    };
    Ok(builder.build()?)
}

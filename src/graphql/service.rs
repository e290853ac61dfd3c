//! The interface between a transport and a schema. The rule: a transport knows this trait, and nothing about the schema, its loaders or its
//! store.

use async_graphql::{ObjectType, Request, Response, Schema, ServerError, SubscriptionType};

use super::cached::Announcements;
use super::error::{Code, coded};
use super::uploads::{Upload, Uploaded};

/// The service that a transport calls.
///
/// An implementer adds the data of each request before it executes the request, because loaders live no longer than a request. It gets
/// requests that [`Documents::admit`](super::documents::Documents::admit) has admitted, with the parsed document and its outline.
#[async_trait::async_trait]
pub trait GraphqlService: Send + Sync + 'static {
    /// Authenticates the request and adds the result to it. A transport calls this before the request takes a slot to run, because an
    /// identity provider that does not respond must not delay other requests.
    ///
    /// # Errors
    /// If the token of the request is refused, or cannot be verified at the moment.
    async fn sign_in(&self, request: Request) -> Result<Request, ServerError> {
        Ok(request)
    }

    async fn execute(&self, request: Request) -> Response;

    /// Checks that the client of this authenticated request is allowed to add a picture. A transport calls this before it receives the
    /// file.
    ///
    /// # Errors
    /// UNAUTHENTICATED or FORBIDDEN.
    fn check_upload(&self, _request: &Request) -> Result<(), ServerError> {
        Err(coded(Code::Forbidden, "this server takes no pictures", None))
    }

    /// Adds a picture for the client of this authenticated request. The caller lets it run to its end.
    ///
    /// # Errors
    /// If the client is not allowed to add it, or the storage fails.
    async fn add_asset(&self, _request: Request, _upload: Upload) -> Result<Uploaded, ServerError> {
        Err(coded(Code::Forbidden, "this server takes no pictures", None))
    }

    /// The announcements of writes, for a transport that caches answers. Such a transport adds a [`Recording`](super::cached::Recording) to
    /// each query whose answer it may cache. `None`: it must not cache answers.
    fn announcements(&self) -> Option<Announcements> {
        None
    }

    /// The number of the newest write that this server knows; `None` if no other server writes.
    fn position(&self) -> Option<u64> {
        None
    }

    /// Waits for a short time until queries see every write of any server up to this position. Returns false if there is no such write.
    ///
    /// # Errors
    /// If the position is not reached in time, or the store cannot be read.
    async fn wait_for(&self, _position: u64) -> Result<bool, ServerError> {
        Ok(true)
    }

    fn sdl(&self) -> String;
}

/// A schema that needs no data for each request.
#[async_trait::async_trait]
impl<Query, Mutation, Subscription> GraphqlService for Schema<Query, Mutation, Subscription>
where
    Query: ObjectType + 'static,
    Mutation: ObjectType + 'static,
    Subscription: SubscriptionType + 'static,
{
    async fn execute(&self, request: Request) -> Response {
        Schema::execute(self, request).await
    }

    fn sdl(&self) -> String {
        Schema::sdl(self)
    }
}

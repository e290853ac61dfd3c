//! The interface between a transport and a schema. The rule: a transport knows this trait and nothing of the schema, its loaders or
//! its store.

use async_graphql::{ObjectType, Request, Response, Schema, ServerError, SubscriptionType};

use super::error::{Code, coded};
use super::held::Announcements;
use super::uploads::{Upload, Uploaded};

/// What a transport needs of a schema.
///
/// An implementer adds the data of each request before it runs the request, because loaders live no longer than a request, and may add to the
/// response afterwards. It gets requests that [`guard::admit`](super::guard::admit) has admitted, with the parsed document and
/// its outline.
#[async_trait::async_trait]
pub trait GraphqlService: Send + Sync + 'static {
    /// Authenticates the request and adds the result to it. A transport calls this before the request takes one of the slots for running requests,
    /// because an identity provider that does not respond must not delay other requests.
    ///
    /// # Errors
    /// If the request has a token that is refused, or that cannot be verified at the moment.
    async fn sign_in(&self, request: Request) -> Result<Request, ServerError> {
        Ok(request)
    }

    async fn execute(&self, request: Request) -> Response;

    /// Whether the client of this request, which is signed in, may add a picture. A transport calls this before it receives the file.
    ///
    /// # Errors
    /// UNAUTHENTICATED or FORBIDDEN.
    fn check_upload(&self, _request: &Request) -> Result<(), ServerError> {
        Err(coded(Code::Forbidden, "this server takes no pictures", None))
    }

    /// Adds a picture for the client of this request, which is signed in. The caller lets it run to its end.
    ///
    /// # Errors
    /// If the client may not add it, or the storage fails.
    async fn add_asset(&self, _request: Request, _upload: Upload) -> Result<Uploaded, ServerError> {
        Err(coded(Code::Forbidden, "this server takes no pictures", None))
    }

    /// The announcements of writes, for a transport that holds answers. Such a transport adds a [`Recording`](super::held::Recording) to each query
    /// whose answer it may hold. `None`: no answer may be held.
    fn announcements(&self) -> Option<Announcements> {
        None
    }

    /// The number of the newest write that this server knows; `None` if no other server writes.
    fn position(&self) -> Option<u64> {
        None
    }

    /// Waits for a short time until queries see every write up to this position of any server. `false`: there is no such write.
    ///
    /// # Errors
    /// If that takes too long, or the store cannot be read.
    async fn wait_for(&self, _position: u64) -> Result<bool, ServerError> {
        Ok(true)
    }

    /// The schema as SDL.
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

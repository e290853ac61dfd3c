//! The door between a transport and a schema. The rule: a transport knows this trait and nothing of the schema, its loaders or
//! its store.

use async_graphql::{ObjectType, Request, Response, Schema, ServerError, SubscriptionType};

/// What a transport needs of a schema.
///
/// An implementer gives each request its own data (loaders live no longer than a request) before it runs it, and may add to the
/// response afterwards. It is handed requests that [`guard::admit`](super::guard::admit) let in, the parsed document with them.
#[async_trait::async_trait]
pub trait GraphqlService: Send + Sync + 'static {
    /// Finds out who sends the request and adds that to it. A transport calls this before the request takes a place among those that run:
    /// an identity provider that does not answer must not keep others waiting.
    ///
    /// # Errors
    /// If the request has a token that is refused, or that cannot be checked at the moment.
    async fn sign_in(&self, request: Request) -> Result<Request, ServerError> {
        Ok(request)
    }

    async fn execute(&self, request: Request) -> Response;

    /// The schema as SDL.
    fn sdl(&self) -> String;
}

/// A schema that needs no data of its own for each request.
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

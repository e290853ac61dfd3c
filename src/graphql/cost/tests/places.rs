//! A schema with an interface whose fields take arguments, and two implementers with different prices. The rule: each field makes exactly the storage
//! requests of its price, counted in the request's [`Reads`], so that a test can compare them with the bound.

use std::sync::atomic::{AtomicU64, Ordering};

use async_graphql::{Context, EmptyMutation, EmptySubscription, Error, ID, Interface, Object, Result, Schema};

use super::super::bound::Bound;
use super::super::prices::{self, Objects, Price, PriceTable};
use crate::graphql::engine::interface_value::InterfaceValue;

/// The storage requests that the fields of a request made.
#[derive(Debug, Default)]
pub struct Reads(pub AtomicU64);

pub const PRICES: &PriceTable = &[
    (&["Cellar", "Shop"], "beside", price(1)),
    (&["Cellar"], "boxes", price(5)),
    (&["Shop"], "boxes", price(3)),
    (&["Shop"], "label", price(1)),
    (&["Box"], "owner", price(2)),
    (&["BoxConnection"], "nodes", price(0).returning(Objects::Page)),
    (&["BoxConnection"], "totalCount", price(4)),
    (&["Query"], "place", price(1)),
    (&["Query"], "places", price(2).returning(Objects::AtMost(2))),
    (&["Query"], "shop", price(1)),
];

const fn price(reads: u64) -> Price {
    Price::of(prices::Reads::Fixed(Bound::new(reads, 0)))
}

pub fn schema() -> Schema<Query, EmptyMutation, EmptySubscription> {
    Schema::new(Query, EmptyMutation, EmptySubscription)
}

/// Makes storage requests. It waits, so that fields finish in another order than they start.
async fn read(ctx: &Context<'_>, count: u64) {
    ctx.data_unchecked::<std::sync::Arc<Reads>>().0.fetch_add(count, Ordering::Relaxed);
    for _ in 0..count {
        tokio::task::yield_now().await;
    }
}

#[derive(Interface)]
#[graphql(
    field(name = "id", ty = "ID"),
    field(name = "label", ty = "Result<Option<String>>", arg(name = "upper", ty = "Option<bool>")),
    field(
        name = "boxes",
        ty = "Result<BoxConnection>",
        arg(name = "first", ty = "Option<i32>"),
        arg(name = "of_owner", ty = "Option<String>")
    ),
    field(name = "beside", ty = "Result<Option<InterfaceValue<Place>>>", arg(name = "steps", ty = "Option<u32>"))
)]
pub enum Place {
    Shop(Shop),
    Cellar(Cellar),
}

pub struct Query;
pub struct Shop(u32);
pub struct Cellar(u32);
pub struct BoxConnection {
    count: u32,
    owner: Option<String>,
}
pub struct Box {
    number: u32,
    owner: Option<String>,
}

/// Odd numbers are shops, even numbers are cellars; zero is null.
fn place(number: u32) -> Option<InterfaceValue<Place>> {
    match number {
        0 => None,
        number if number % 2 == 1 => Some(InterfaceValue(Place::Shop(Shop(number)))),
        number => Some(InterfaceValue(Place::Cellar(Cellar(number)))),
    }
}

fn boxes(first: Option<i32>, owner: Option<String>) -> Result<BoxConnection> {
    let count = first.unwrap_or(20).try_into().map_err(|_| Error::new("`first` is negative"))?;
    Ok(BoxConnection { count, owner })
}

#[Object]
impl Query {
    async fn place(&self, ctx: &Context<'_>, number: u32) -> Option<InterfaceValue<Place>> {
        read(ctx, 1).await;
        place(number)
    }

    async fn places(&self, ctx: &Context<'_>) -> Vec<Option<InterfaceValue<Place>>> {
        read(ctx, 2).await;
        vec![place(2), place(1)]
    }

    async fn shop(&self, ctx: &Context<'_>, number: u32) -> Shop {
        read(ctx, 1).await;
        Shop(number)
    }
}

#[Object]
impl Shop {
    pub async fn id(&self) -> ID {
        format!("shop-{}", self.0).into()
    }

    pub async fn label(&self, ctx: &Context<'_>, upper: Option<bool>) -> Result<Option<String>> {
        read(ctx, 1).await;
        Ok(Some(if upper == Some(true) { "SHOP" } else { "shop" }.to_owned()))
    }

    pub async fn boxes(
        &self,
        ctx: &Context<'_>,
        first: Option<i32>,
        of_owner: Option<String>,
    ) -> Result<BoxConnection> {
        read(ctx, 3).await;
        boxes(first, of_owner)
    }

    pub async fn beside(&self, ctx: &Context<'_>, steps: Option<u32>) -> Result<Option<InterfaceValue<Place>>> {
        read(ctx, 1).await;
        Ok(place(self.0 + steps.unwrap_or(1)))
    }
}

#[Object]
impl Cellar {
    pub async fn id(&self) -> ID {
        format!("cellar-{}", self.0).into()
    }

    pub async fn label(&self, upper: Option<bool>) -> Result<Option<String>> {
        if upper == Some(true) { Err(Error::new("a cellar has no label")) } else { Ok(None) }
    }

    pub async fn boxes(
        &self,
        ctx: &Context<'_>,
        first: Option<i32>,
        of_owner: Option<String>,
    ) -> Result<BoxConnection> {
        read(ctx, 5).await;
        boxes(first, of_owner)
    }

    pub async fn beside(&self, ctx: &Context<'_>, steps: Option<u32>) -> Result<Option<InterfaceValue<Place>>> {
        read(ctx, 1).await;
        Ok(place(self.0 + steps.unwrap_or(1)))
    }

    async fn steps_down(&self) -> u32 {
        self.0
    }
}

#[Object]
impl BoxConnection {
    async fn nodes(&self) -> Vec<Box> {
        (1..=self.count).map(|number| Box { number, owner: self.owner.clone() }).collect()
    }

    async fn total_count(&self, ctx: &Context<'_>) -> u32 {
        read(ctx, 4).await;
        self.count
    }
}

#[Object]
impl Box {
    async fn number(&self) -> u32 {
        self.number
    }

    async fn owner(&self, ctx: &Context<'_>) -> Option<&str> {
        read(ctx, 2).await;
        self.owner.as_deref()
    }
}

//! A toy schema whose objects are numbers. The rule: only the number of an object decides the value of a field and how long it waits, and
//! [`super::reference`] computes the same values.

use async_graphql::{EmptyMutation, EmptySubscription, Error, Interface, Object, Result, Schema, Union};

use crate::graphql::engine::interface_value::InterfaceValue;

pub struct Query;
pub struct Fruit(pub u32);
pub struct Crate(pub u32);

#[derive(Interface)]
#[graphql(
    field(name = "id", ty = "u32"),
    field(name = "label", ty = "Option<String>"),
    field(name = "sour", ty = "Result<Option<u32>>")
)]
pub enum Thing {
    Fruit(Fruit),
    Crate(Crate),
}

#[derive(Union)]
pub enum Found {
    Fruit(Fruit),
    Crate(Crate),
}

pub fn schema() -> Schema<Query, EmptyMutation, EmptySubscription> {
    Schema::new(Query, EmptyMutation, EmptySubscription)
}

/// Makes fields finish in another order than they start.
async fn wait(n: u32) {
    for _ in 0..n % 4 {
        tokio::task::yield_now().await;
    }
}

fn fail_every(step: u32, n: u32) -> Result<u32> {
    if n.is_multiple_of(step) { Err(Error::new("failed")) } else { Ok(n) }
}

/// Odd numbers are fruits, even numbers are crates; zero is null.
fn thing(n: u32) -> Option<InterfaceValue<Thing>> {
    match n {
        0 => None,
        n if n % 2 == 1 => Some(InterfaceValue(Thing::Fruit(Fruit(n)))),
        n => Some(InterfaceValue(Thing::Crate(Crate(n)))),
    }
}

fn found(n: u32) -> Found {
    if n % 2 == 1 { Found::Fruit(Fruit(n)) } else { Found::Crate(Crate(n)) }
}

#[Object]
impl Query {
    async fn id(&self) -> u32 {
        wait(3).await;
        0
    }

    async fn fruit(&self, #[graphql(default = 7)] n: u32) -> Fruit {
        wait(2).await;
        Fruit(n)
    }

    #[graphql(name = "crate")]
    async fn a_crate(&self, #[graphql(default = 11)] n: u32) -> Option<Crate> {
        wait(3).await;
        Some(Crate(n))
    }

    async fn thing(&self, n: u32) -> Option<InterfaceValue<Thing>> {
        wait(n).await;
        thing(n)
    }

    async fn found(&self) -> Found {
        wait(1).await;
        found(12)
    }

    async fn may_fail(&self) -> Result<Option<u32>> {
        wait(2).await;
        Err(Error::new("failed"))
    }

    async fn fails(&self) -> Result<u32> {
        wait(1).await;
        Err(Error::new("failed"))
    }

    async fn list(&self, n: Option<u32>) -> Vec<Fruit> {
        (0..n.unwrap_or(3)).map(Fruit).collect()
    }
}

#[Object]
impl Fruit {
    pub async fn id(&self) -> u32 {
        wait(self.0).await;
        self.0
    }

    pub async fn label(&self) -> Option<String> {
        wait(self.0 + 2).await;
        (!self.0.is_multiple_of(3)).then(|| format!("f{}", self.0))
    }

    pub async fn sour(&self) -> Result<Option<u32>> {
        wait(self.0 + 1).await;
        fail_every(2, self.0).map(Some)
    }

    async fn ripe(&self) -> Result<u32> {
        wait(self.0 + 3).await;
        fail_every(5, self.0)
    }

    async fn inside(&self) -> Crate {
        wait(self.0 + 3).await;
        Crate(self.0 + 1)
    }

    async fn beside(&self) -> Option<InterfaceValue<Thing>> {
        wait(self.0 + 2).await;
        thing(self.0 + 3)
    }
}

#[Object]
impl Crate {
    pub async fn id(&self) -> u32 {
        wait(self.0 + 1).await;
        self.0
    }

    pub async fn label(&self) -> Option<String> {
        wait(self.0).await;
        (!self.0.is_multiple_of(3)).then(|| format!("c{}", self.0))
    }

    pub async fn sour(&self) -> Result<Option<u32>> {
        wait(self.0).await;
        fail_every(2, self.0).map(Some)
    }

    async fn fruits(&self) -> Vec<Fruit> {
        wait(self.0).await;
        (self.0..self.0 + self.0 % 4).map(Fruit).collect()
    }

    async fn things(&self) -> Result<Vec<Option<InterfaceValue<Thing>>>> {
        wait(self.0 + 2).await;
        fail_every(7, self.0)?;
        Ok((self.0 * 2..self.0 * 2 + 3).map(|n| if n % 6 == 0 { None } else { thing(n) }).collect())
    }

    async fn maybe(&self) -> Result<Option<Vec<InterfaceValue<Thing>>>> {
        wait(self.0 + 1).await;
        fail_every(9, self.0)?;
        Ok(Some((self.0..self.0 + 4).filter_map(thing).collect()))
    }

    async fn found(&self) -> Found {
        wait(self.0 + 1).await;
        found(self.0 / 2)
    }

    async fn sizes(&self) -> Vec<u32> {
        wait(self.0 + 2).await;
        vec![1, self.0]
    }
}

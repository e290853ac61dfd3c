//! The maximum number of storage requests of one operation, by the role of its client. The rule: a role without its own limit has the
//! general one.

use crate::model::{Actor, Role};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RoleLimits {
    anonymous: u64,
    /// In the order of [`Role::ALL`].
    roles: [u64; Role::ALL.len()],
}

impl RoleLimits {
    /// The same limit for everyone.
    pub fn of_all(limit: u64) -> Self {
        Self { anonymous: limit, roles: [limit; Role::ALL.len()] }
    }

    /// Sets the limit of a role, or of clients without a token if `role` is `None`.
    #[must_use]
    pub fn with(mut self, role: Option<Role>, limit: u64) -> Self {
        match role {
            None => self.anonymous = limit,
            Some(role) => self.roles[role as usize] = limit,
        }
        self
    }

    pub fn of(&self, actor: Option<&Actor>) -> u64 {
        actor.map_or(self.anonymous, |actor| self.roles[actor.role as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ActorKind;

    #[test]
    fn a_role_has_its_own_limit_or_the_general_one() {
        let limits = RoleLimits::of_all(100).with(None, 10).with(Some(Role::Editor), 1_000);
        let of = |role| limits.of(Some(&Actor::new(ActorKind::Token, "one", role)));
        assert_eq!(Role::ALL.map(of), [100, 100, 1_000, 100]);
        assert_eq!(limits.of(None), 10);
    }
}

//! One page of tokens, the newest first. The rule: it is a part of the whole list, which is bounded and takes one range read.

use crate::content::error::{ContentError, Result};
use crate::content::read::pages::{PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX, Page, PageArguments};
use crate::keys::cursor::{self, ListTag};
use crate::model::{Token, TokenId};

fn list_tag() -> ListTag {
    ListTag::of("tokens")
}

pub(crate) fn cursor(token: &Token) -> String {
    cursor::encode(list_tag(), token.id.as_str())
}

/// # Errors
/// [`ContentError::BadCursor`], which names the argument, if the cursor belongs to another list.
pub(crate) fn decode_cursor(argument: &'static str, text: &str) -> Result<TokenId> {
    cursor::decode(list_tag(), text).map_err(|_| ContentError::BadCursor { argument })
}

/// `tokens`: the newest first.
///
/// # Errors
/// [`ContentError::BadArgument`] for a size out of range.
pub(crate) fn page(tokens: &[Token], arguments: &PageArguments<TokenId>) -> Result<Page<Token>> {
    arguments.page_of_all(tokens, (PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX), |token, cursor| cursor.cmp(&token.id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Instant, Role};

    fn tokens() -> Vec<Token> {
        let token = |n| Token {
            id: TokenId::new(Instant::MIN, n),
            name: n.to_string(),
            role: Role::Reader,
            author: None,
            created_at: Instant::MIN,
            expires_at: None,
            revoked_at: None,
        };
        (0..5).rev().map(token).collect()
    }

    #[test]
    fn pages_follow_relays_algorithm_in_both_directions() {
        let tokens = tokens();
        let at = |n: usize| Some(tokens[n].id.clone());
        let names = |arguments| {
            let page = page(&tokens, &arguments).expect("a page");
            let names: Vec<String> = page.items.into_iter().map(|token| token.name).collect();
            (names.join(""), page.has_previous, page.has_next)
        };
        let none = PageArguments::default;
        assert_eq!(names(none()), ("43210".to_owned(), false, false));
        assert_eq!(names(PageArguments { first: Some(2), ..none() }), ("43".to_owned(), false, true));
        assert_eq!(names(PageArguments { first: Some(2), after: at(1), ..none() }), ("21".to_owned(), true, true));
        assert_eq!(names(PageArguments { last: Some(2), ..none() }), ("10".to_owned(), true, false));
        assert_eq!(names(PageArguments { last: Some(2), before: at(3), ..none() }), ("32".to_owned(), true, true));
        assert_eq!(names(PageArguments { first: Some(3), last: Some(1), ..none() }), ("2".to_owned(), true, true));
        assert_eq!(names(PageArguments { after: at(3), before: at(1), ..none() }), (String::new(), true, true));
    }
}

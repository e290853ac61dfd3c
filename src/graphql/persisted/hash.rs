//! The hash by which clients name a document. The rule: SHA-256 of its text in UTF-8, as 64 hexadecimal digits in lower case ("GraphQL over HTTP", appendix
//! "Persisted Documents").

use std::fmt;
use std::sync::Arc;

use ring::digest::{SHA256, SHA256_OUTPUT_LEN, digest};

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct DocumentHash([u8; SHA256_OUTPUT_LEN]);

impl DocumentHash {
    /// The prefix of a document identifier that is a hash.
    pub const PREFIX: &str = "sha256:";

    pub fn of(text: &str) -> Self {
        Self(digest(&SHA256, text.as_bytes()).as_ref().try_into().expect("SHA-256 has 32 bytes"))
    }

    /// `None` if the text is not 64 digits in lower case.
    pub fn parse(text: &str) -> Option<Self> {
        if text.len() != 2 * SHA256_OUTPUT_LEN {
            return None;
        }
        let digit = |byte: u8| match byte {
            b'0'..=b'9' => Some(byte - b'0'),
            b'a'..=b'f' => Some(byte - b'a' + 10),
            _ => None,
        };
        let digits: Vec<u8> = text.bytes().map(digit).collect::<Option<_>>()?;
        let bytes: Vec<u8> = digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect();
        bytes.try_into().ok().map(Self)
    }
}

impl fmt::Display for DocumentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for DocumentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A text with its verified hash.
#[derive(Debug, Clone)]
pub struct HashedDocument {
    hash: DocumentHash,
    text: Arc<str>,
}

impl HashedDocument {
    /// `None` if the hash does not match the text.
    pub fn verified(text: &str, hash: DocumentHash) -> Option<Self> {
        (DocumentHash::of(text) == hash).then(|| Self { hash, text: text.into() })
    }

    pub(super) fn into_parts(self) -> (DocumentHash, Arc<str>) {
        (self.hash, self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_the_appendix_have_their_hashes() {
        let texts = ["query ($id: ID!) {\n  user(id: $id) {\n    name\n  }\n}", "query($id:ID!){user(id:$id){name}}"];
        let hashes = [
            "7dba4bd717b41f10434822356a93c32b1fb4907b983e854300ad839f84cdcd6e",
            "71f7dc5758652baac68e4a10c50be732b741c892ade2883a99358f52b555286b",
        ];
        assert_eq!(texts.map(|text| DocumentHash::of(text).to_string()), hashes);
        assert_eq!(hashes.map(DocumentHash::parse), texts.map(|text| Some(DocumentHash::of(text))));
        assert!(HashedDocument::verified(texts[0], DocumentHash::of(texts[0])).is_some());
        assert!(HashedDocument::verified(texts[0], DocumentHash::of(texts[1])).is_none());
    }

    #[test]
    fn other_texts_are_no_hashes() {
        let hash = DocumentHash::of("").to_string();
        for text in ["", "0", &hash[1..], &hash.to_uppercase(), &format!("{hash}00"), &format!("{}ä", &hash[2..])] {
            assert_eq!(DocumentHash::parse(text), None, "{text}");
        }
    }
}

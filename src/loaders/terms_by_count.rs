//! Terms in the order of how many posts they have. The rule: the counts are loaded together with those that other fields request, so that a count beside the list
//! costs nothing more.

use crate::content::read::pages::terms_by_count::{CountPosition, CountedTerm, TermsByCount};
use crate::content::read::pages::{Page, PageArguments};
use crate::model::TermId;

use super::{Loaded, Loaders};

impl Loaders {
    /// A page of terms by their counts. Reads all terms of the kind, and counts each of them.
    pub async fn terms_by_count(
        &self,
        list: &TermsByCount,
        arguments: &PageArguments<CountPosition>,
    ) -> Loaded<Page<CountedTerm>> {
        let all = list.terms(&self.reader, arguments).await?;
        let ids: Vec<TermId> = all.items.iter().map(|term| term.id.clone()).collect();
        let counts = self.post_counts.load_many(ids).await?;
        let counted = all.items.iter().cloned().zip(counts).map(|(term, posts)| CountedTerm { term, posts });
        Ok(list.page(counted.collect(), arguments)?)
    }
}

//! Terms ordered by their number of posts. The rule: the counts are loaded in the same batches as those that other fields request, so that
//! a count beside the list costs nothing more.

use crate::content::read::pages::terms_by_count::{CountPosition, CountedTerm, TermsByCount};
use crate::content::read::pages::{Page, PageArguments};
use crate::model::TermId;

use super::{Loaded, Loaders};

impl Loaders {
    /// A page of terms ordered by count. Reads all terms of the kind, and counts the posts of each.
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

//! Ranks the documents that a query finds. The rule: documents with all words come before those with at least half of them; within both, BM25 decides, with
//! title and headings above the text, then the order of the documents.

use std::cmp::Ordering;
use std::collections::HashSet;

use tantivy::collector::TopDocs;
use tantivy::query::{
    BooleanQuery, BoostQuery, ConstScoreQuery, DisjunctionMaxQuery, EmptyQuery, Occur, PhraseQuery, Query as Ranked,
    RangeQuery, TermQuery,
};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocId, Result, Score, Searcher, SegmentReader, Term};

use crate::document::Fields;
use crate::expand::{Counted, Dictionary};
use crate::highlight::Matcher;
use crate::index::{Index, IndexError};
use crate::query::{Clause, Query};
use crate::statistics::Statistics;
use crate::stems::Stems;
use crate::words::{Kind, pieces};

/// The maximum number of results of a query that pages can reach.
pub const FOUND_MAX: usize = 1_000;
/// How many documents are ranked in addition to a page, because changes since the previous page may have moved some.
const SPARE: usize = 20;

/// The maximum number of completions of an unfinished word, and of corrections of a misspelt one.
const LONGER_MAX: usize = 30;
const NEAR_MAX: usize = 8;
/// The maximum number of words of a query that are corrected: each correction walks over the words of the index.
const MISSPELT_MAX: usize = 8;
/// A word that this many documents have does not count as misspelt.
const USUAL_FROM: u64 = 5;

const OF_TITLE: Score = 3.0;
const OF_HEADINGS: Score = 1.0;
/// The weights of a word form, a completion and a correction; the word itself has 1.
const OF_FORM: Score = 0.8;
const OF_LONGER: Score = 0.6;
const OF_NEAR: [Score; 2] = [0.5, 0.3];

/// The number of words of a text that [`View::similar`] compares.
const SIMILAR_WORDS_MAX: usize = 20;

/// A filter in addition to the query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    All(Vec<String>),
    Any(Vec<String>),
    None(Vec<String>),
    /// The document's `order` is greater than the first and less than the second.
    Between(Option<i64>, Option<i64>),
}

/// The position of a document in the results.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Place {
    pub has_all_words: bool,
    pub score: Score,
    pub order: i64,
    pub key: u64,
    /// The number of documents before it.
    pub rank: u32,
}

impl Place {
    /// Sorts the best document first.
    fn compare(&self, other: &Self) -> Ordering {
        let by_score = || other.score.total_cmp(&self.score);
        let by_words = other.has_all_words.cmp(&self.has_all_words).then_with(by_score);
        by_words.then_with(|| other.order.cmp(&self.order)).then_with(|| other.key.cmp(&self.key))
    }
}

/// The requested page of results.
#[derive(Debug, Clone, Default)]
pub struct Page<'a> {
    pub first: usize,
    pub after: Option<Place>,
    pub conditions: &'a [Condition],
}

#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    pub key: u64,
    pub place: Place,
}

#[derive(Clone, Default)]
pub struct Found {
    /// The best hit first.
    pub hits: Vec<Hit>,
    pub has_next: bool,
    pub matcher: Matcher,
}

/// A snapshot of several indexes.
pub struct View {
    /// The indexes that are searched completely. Only their words and statistics count for ranks and suggestions.
    searchers: Vec<Searcher>,
    /// An index in which only documents with a label are searched.
    labelled: Option<(Searcher, Condition)>,
    fields: Fields,
}

/// The alternatives that match one clause of a query, with their weights.
enum Group {
    Words(Vec<(String, Score)>),
    Phrase(Vec<(usize, String)>),
}

impl View {
    /// `None` without an index.
    pub fn of(indexes: &[&Index]) -> Option<Self> {
        let fields = indexes.first()?.fields;
        Some(Self { searchers: indexes.iter().map(|index| index.searcher()).collect(), labelled: None, fields })
    }

    /// Adds the documents of another index that have this label.
    #[must_use]
    pub fn with_labelled(self, index: &Index, label: String) -> Self {
        Self { labelled: Some((index.searcher(), Condition::All(vec![label]))), ..self }
    }

    /// # Errors
    /// If an index cannot be read.
    pub fn find(&self, query: &Query, page: &Page<'_>) -> std::result::Result<Found, IndexError> {
        if query.is_empty() || page.first == 0 {
            return Ok(Found::default());
        }
        let languages = self.languages()?;
        let mut misspelt = MISSPELT_MAX;
        let groups = query.wanted.iter().map(|clause| self.group(clause, &languages, &mut misspelt));
        let groups: Vec<Group> = groups.collect::<Result<_>>()?;
        let unwanted: Vec<Group> = query.unwanted.iter().map(|clause| self.exact(clause, &languages)).collect();
        let terms = groups.iter().flat_map(Group::terms).map(str::to_owned).collect();
        let matcher = Matcher { terms, languages };
        let rank = page.after.map_or(0, |after| after.rank as usize + 1);
        let wanted = (rank + page.first + 1 + SPARE).min(FOUND_MAX);
        let mut hits = self.ranked(self.query(&groups, &unwanted, page.conditions, true), wanted, true)?;
        if hits.len() < wanted && groups.len() > 1 {
            let with_all: HashSet<u64> = hits.iter().map(|place| place.key).collect();
            let with_half = self.ranked(self.query(&groups, &unwanted, page.conditions, false), wanted, false)?;
            hits.extend(with_half.into_iter().filter(|place| !with_all.contains(&place.key)));
            hits.truncate(wanted);
        }
        let mut places = (0..).zip(&hits).map(|(rank, place)| Place { rank, ..*place });
        let after = page.after;
        let rest =
            places.by_ref().skip_while(|place| after.is_some_and(|after| after.compare(place) != Ordering::Less));
        let mut rest: Vec<Hit> = rest.map(|place| Hit { key: place.key, place }).collect();
        let has_next = rest.len() > page.first;
        rest.truncate(page.first);
        Ok(Found { hits: rest, has_next, matcher })
    }

    /// The documents most similar to this text and these labels, without the one with this key.
    ///
    /// # Errors
    /// If an index cannot be read.
    pub fn similar(
        &self,
        (text, labels): (&str, &[String]),
        key: u64,
        first: usize,
        conditions: &[Condition],
    ) -> std::result::Result<Vec<Hit>, IndexError> {
        let words: HashSet<String> =
            pieces(text).filter(|piece| piece.kind == Kind::Word).map(|piece| piece.text).collect();
        let dictionary = self.dictionary(self.fields.all);
        let mut known = Vec::new();
        for word in words {
            let frequency = dictionary.frequency(&word)?;
            if frequency > 1 {
                known.push((frequency, word));
            }
        }
        known.sort();
        let of_label = |label: &String| self.term(self.fields.labels, label, OF_TITLE);
        let of_word = |(_, word): &(u64, String)| self.term(self.fields.all, word, 1.0);
        let likes = labels.iter().map(of_label).chain(known.iter().take(SIMILAR_WORDS_MAX).map(of_word));
        let likes: Vec<_> = likes.map(|query| (Occur::Should, query)).collect();
        if likes.is_empty() || first == 0 {
            return Ok(Vec::new());
        }
        let own = TermQuery::new(Term::from_field_u64(self.fields.key, key), IndexRecordOption::Basic);
        let mut clauses: Vec<(Occur, Box<dyn Ranked>)> =
            vec![(Occur::Must, Box::new(BooleanQuery::new(likes))), (Occur::MustNot, Box::new(own))];
        clauses.extend(conditions.iter().map(|condition| self.condition(condition)));
        let places = self.ranked(BooleanQuery::new(clauses), first, true)?;
        Ok(places.into_iter().map(|place| Hit { key: place.key, place }).collect())
    }

    /// The query with the nearest known words in place of unknown ones; `None` if it has no unknown word, or no known word is near.
    ///
    /// # Errors
    /// If an index cannot be read.
    pub fn suggestion(&self, query: &Query) -> std::result::Result<Option<String>, IndexError> {
        let dictionary = self.dictionary(self.fields.all);
        let mut others = Vec::new();
        for (number, spelt) in query.spelt.iter().enumerate() {
            let word = spelt.word.as_str();
            let is_unfinished = query.wanted.contains(&Clause::Word { text: word.to_owned(), is_unfinished: true });
            let is_known =
                dictionary.frequency(word)? > 0 || is_unfinished && !dictionary.beginning_with(word, 1)?.is_empty();
            if is_known || others.len() >= MISSPELT_MAX {
                continue;
            }
            if let Some((near, _)) = self.near(word, false)?.into_iter().next() {
                others.push((number, self.spelling(&near)?));
            }
        }
        Ok((!others.is_empty()).then(|| query.with_words(&others)))
    }

    /// Completions of this text: its last word is completed to the most frequent words with this prefix, words of titles first.
    ///
    /// # Errors
    /// If an index cannot be read.
    pub fn continuations(&self, text: &str, first: usize) -> std::result::Result<Vec<String>, IndexError> {
        let last = pieces(text).last().filter(|piece| piece.kind == Kind::Word && piece.place.end == text.len());
        let Some(last) = last else { return Ok(Vec::new()) };
        let mut words: Vec<String> = Vec::new();
        for field in [self.fields.title, self.fields.all] {
            let found = self.dictionary(field).beginning_with(&last.text, first)?;
            let new: Vec<String> =
                found.into_iter().map(|(word, _)| word).filter(|word| !words.contains(word)).collect();
            words.extend(new);
        }
        words.truncate(first);
        let before = &text[..last.place.start];
        words.iter().map(|word| Ok(format!("{before}{}", self.spelling(word)?))).collect()
    }

    fn dictionary(&self, field: Field) -> Dictionary<'_> {
        Dictionary { searchers: &self.searchers, field }
    }

    fn languages(&self) -> Result<Vec<Stems>> {
        let codes = self.dictionary(self.fields.forms).all()?;
        Ok(codes.iter().filter_map(|(code, _)| Stems::of(code)).collect())
    }

    /// The usual spelling of a folded word.
    fn spelling(&self, word: &str) -> Result<String> {
        let usual = self.dictionary(self.fields.spellings).marked(word, 1)?.into_iter().next();
        let Some((written, count)) = usual else { return Ok(word.to_owned()) };
        let all = self.dictionary(self.fields.all).frequency(word)?;
        Ok(if count * 2 >= all { written } else { word.to_owned() })
    }

    fn exact(&self, clause: &Clause, languages: &[Stems]) -> Group {
        match clause {
            Clause::Word { text, .. } => Group::Words(forms(text, languages)),
            Clause::Phrase(terms) => Group::Phrase(terms.clone()),
        }
    }

    /// Adds completions, and corrections if the word is rare. `misspelt`: how many more words may be corrected.
    fn group(&self, clause: &Clause, languages: &[Stems], misspelt: &mut usize) -> Result<Group> {
        let Clause::Word { text, is_unfinished } = clause else { return Ok(self.exact(clause, languages)) };
        let mut words = forms(text, languages);
        let dictionary = self.dictionary(self.fields.all);
        let longer = if *is_unfinished { dictionary.beginning_with(text, LONGER_MAX)? } else { Vec::new() };
        let known = dictionary.frequency(text)? + longer.iter().map(|(_, count)| count).sum::<u64>();
        words.extend(longer.into_iter().map(|(word, _)| (word, OF_LONGER)));
        if known < USUAL_FROM && *misspelt > 0 {
            *misspelt -= 1;
            let near = self.near(text, *is_unfinished)?;
            for (word, distance) in near {
                let forms = forms(&word, languages).into_iter();
                words.extend(forms.map(|(form, share)| (form, share * OF_NEAR[distance - 1])));
            }
        }
        Ok(Group::Words(words))
    }

    /// The possible corrections of a word, the nearest first, with their distance: 1, or 2 for long words.
    fn near(&self, word: &str, is_unfinished: bool) -> Result<Vec<(String, usize)>> {
        let letters = word.chars().count();
        if letters < 5 || !word.chars().any(char::is_alphabetic) {
            return Ok(Vec::new());
        }
        let dictionary = self.dictionary(self.fields.all);
        let mut near: Vec<(String, usize)> = Vec::new();
        for distance in 1..=if letters < 9 { 1 } else { 2 } {
            let mut found: Vec<Counted> = dictionary.near(word, distance, false, NEAR_MAX)?;
            if found.is_empty() && is_unfinished {
                found = dictionary.near(word, distance, true, NEAR_MAX)?;
            }
            let new =
                found.into_iter().map(|(word, _)| word).filter(|word| near.iter().all(|(known, _)| known != word));
            let new: Vec<String> = new.collect();
            near.extend(new.into_iter().map(|word| (word, usize::from(distance))));
        }
        near.truncate(NEAR_MAX);
        Ok(near)
    }

    /// `has_all`: matches documents with every group; otherwise those with at least half of them.
    fn query(&self, groups: &[Group], unwanted: &[Group], conditions: &[Condition], has_all: bool) -> BooleanQuery {
        let in_field = |group: &Group, field, boost| self.in_field(group, field, boost);
        let required = || groups.iter().map(|group| in_field(group, self.fields.all, 1.0));
        let all = || required().map(|query| (Occur::Must, query));
        let mut clauses: Vec<(Occur, Box<dyn Ranked>)> = if has_all {
            all().collect()
        } else {
            let half =
                BooleanQuery::union_with_minimum_required_clauses(required().collect(), groups.len().div_ceil(2));
            vec![(Occur::Must, Box::new(half))]
        };
        for (field, boost) in [(self.fields.title, OF_TITLE), (self.fields.headings, OF_HEADINGS)] {
            let of_words = groups.iter().filter(|group| group.is_word());
            clauses.extend(of_words.map(|group| (Occur::Should, in_field(group, field, boost))));
        }
        clauses.extend(unwanted.iter().map(|group| (Occur::MustNot, in_field(group, self.fields.all, 1.0))));
        clauses.extend(conditions.iter().map(|condition| self.condition(condition)));
        BooleanQuery::new(clauses)
    }

    fn in_field(&self, group: &Group, field: Field, boost: Score) -> Box<dyn Ranked> {
        match group {
            Group::Words(words) => {
                let of_word = |(word, share): &(String, Score)| self.term(field, word, boost * share);
                let mut queries: Vec<_> = words.iter().map(of_word).collect();
                if queries.len() == 1 { queries.remove(0) } else { Box::new(DisjunctionMaxQuery::new(queries)) }
            }
            Group::Phrase(terms) => match terms.as_slice() {
                [(_, term)] => self.term(field, term, boost),
                terms => {
                    let terms = terms.iter().map(|(at, term)| (*at, Term::from_field_text(field, term))).collect();
                    Box::new(BoostQuery::new(Box::new(PhraseQuery::new_with_offset(terms)), boost))
                }
            },
        }
    }

    fn term(&self, field: Field, text: &str, boost: Score) -> Box<dyn Ranked> {
        let query = TermQuery::new(Term::from_field_text(field, text), IndexRecordOption::WithFreqs);
        Box::new(BoostQuery::new(Box::new(query), boost))
    }

    /// A condition does not change a score.
    fn condition(&self, condition: &Condition) -> (Occur, Box<dyn Ranked>) {
        let label = |label: &String| -> Box<dyn Ranked> {
            let term = Term::from_field_text(self.fields.labels, label);
            Box::new(TermQuery::new(term, IndexRecordOption::Basic))
        };
        let labels = |labels: &[String]| labels.iter().map(label).collect::<Vec<_>>();
        let (occur, query): (Occur, Box<dyn Ranked>) = match condition {
            Condition::All(all) => (Occur::Must, Box::new(BooleanQuery::intersection(labels(all)))),
            Condition::Any(any) if any.is_empty() => (Occur::Must, Box::new(EmptyQuery)),
            Condition::Any(any) => (Occur::Must, Box::new(BooleanQuery::union(labels(any)))),
            Condition::None(none) => (Occur::MustNot, Box::new(BooleanQuery::union(labels(none)))),
            Condition::Between(after, before) => {
                use std::ops::Bound::{Excluded, Unbounded};
                let bound = |order: Option<i64>| {
                    order.map_or(Unbounded, |at| Excluded(Term::from_field_i64(self.fields.order, at)))
                };
                (Occur::Must, Box::new(RangeQuery::new(bound(*after), bound(*before))))
            }
        };
        (occur, Box::new(ConstScoreQuery::new(query, 0.0)))
    }

    /// The best documents, in their order.
    fn ranked(&self, query: BooleanQuery, most: usize, has_all_words: bool) -> Result<Vec<Place>> {
        let statistics = Statistics(&self.searchers);
        let mut places: Vec<Place> = Vec::new();
        let whole = self.searchers.iter().map(|searcher| (searcher, None));
        let labelled = self.labelled.iter().map(|(searcher, condition)| (searcher, Some(condition)));
        for (searcher, condition) in whole.chain(labelled) {
            let of_label = condition.map(|condition| {
                let query: Box<dyn Ranked> = Box::new(query.clone());
                BooleanQuery::new(vec![(Occur::Must, query), self.condition(condition)])
            });
            let query = of_label.as_ref().unwrap_or(&query);
            let collector = TopDocs::with_limit(most).tweak_score(|segment: &SegmentReader| {
                let order = segment.fast_fields().i64("order").map(|column| column.first_or_default_col(0)).ok();
                let key = segment.fast_fields().u64("key").map(|column| column.first_or_default_col(0)).ok();
                move |id: DocId, score: Score| {
                    let order = order.as_ref().map_or(0, |column| column.get_val(id));
                    (score, order, key.as_ref().map_or(0, |column| column.get_val(id)))
                }
            });
            let found = searcher.search_with_statistics_provider(query, &collector, &statistics)?;
            places.extend(found.into_iter().map(|((score, order, key), _)| Place {
                has_all_words,
                score,
                order,
                key,
                rank: 0,
            }));
        }
        places.sort_by(Place::compare);
        // A document that was published just now can be in two indexes.
        let mut seen = HashSet::new();
        places.retain(|place| seen.insert(place.key));
        places.truncate(most);
        Ok(places)
    }
}

impl Group {
    fn terms(&self) -> Vec<&str> {
        match self {
            Self::Words(words) => words.iter().map(|(word, _)| word.as_str()).collect(),
            Self::Phrase(terms) => terms.iter().map(|(_, term)| term.as_str()).collect(),
        }
    }

    /// Whether it can be searched in a field that has words but no positions.
    fn is_word(&self) -> bool {
        !matches!(self, Self::Phrase(terms) if terms.len() > 1)
    }
}

/// The forms of a word in each language: its stem, and the words with the same stem.
fn forms(word: &str, languages: &[Stems]) -> Vec<(String, Score)> {
    let mut forms = vec![(word.to_owned(), 1.0)];
    for language in languages {
        match language.stem(word) {
            Some(stem) => forms.extend([(language.term(&stem), OF_FORM), (stem, OF_FORM)]),
            None => forms.push((language.term(word), OF_FORM)),
        }
    }
    forms
}

#[cfg(test)]
mod tests;

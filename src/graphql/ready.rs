//! Ready fields: written as JSON without a future, a value or a map. The rule: the text is what the resolver of the field would return; a
//! field that can wait or fail is not ready.
//!
//! Most fields of an answer only read their object. An object with only such fields becomes a single [`Value::Binary`], which the writer of
//! the answer copies; in other objects, each ready field becomes one. The completion need not check them, because they cannot fail and
//! their keys are in order. A document that selects a field with a selection set twice under one key is not written this way, because such
//! values are merged.

use async_graphql::parser::types::Field;
use async_graphql::{ContextSelectionSet, ObjectType, Positioned, Value};
use bytes::Bytes;
use serde::Serialize;

use crate::model::{Slug, TermKind};

use super::completion::TYPE_NAME_KEY;
use super::context::RequestContext;
use super::selected::fields_of;

/// Longer texts are not written here, because the writer of the answer treats them as bodies, whose memory is already charged.
pub const SHORT_BYTES_MAX: usize = 2 * 1024;

/// An object type that may have ready fields.
pub trait ReadyObject: ObjectType {
    /// A ready field, with the plan of its selection set if it has one.
    type Ready: Send + Sync;

    /// `None` if the field can wait or fail.
    fn ready(ctx: &ContextSelectionSet<'_>, field: &Field) -> Option<Self::Ready>;

    /// Writes the value of the field. Returns false if the field is not ready for this object; then the caller discards the written bytes.
    fn write(&self, field: &Self::Ready, request: &RequestContext, json: &mut Vec<u8>) -> bool;

    /// The terms that these fields of the objects will request one by one, so that they can be loaded together in advance. Otherwise each
    /// field would wait separately, which is most of the cost of a page of posts.
    fn terms_of<'o>(
        _: &ContextSelectionSet<'_>,
        _fields: &[&Positioned<Field>],
        _objects: impl Iterator<Item = &'o Self> + Clone,
    ) -> Vec<(TermKind, Slug)>
    where
        Self: 'o,
    {
        Vec::new()
    }
}

/// Implements `ReadyObject` for object types without ready fields.
macro_rules! never_ready {
    ($($object:ty),+) => {$(
        impl $crate::graphql::ready::ReadyObject for $object {
            type Ready = std::convert::Infallible;

            fn ready(_: &async_graphql::ContextSelectionSet<'_>, _: &async_graphql::parser::types::Field) -> Option<Self::Ready> {
                None
            }

            fn write(&self, field: &Self::Ready, _: &$crate::graphql::context::RequestContext, _: &mut Vec<u8>) -> bool {
                match *field {}
            }
        }
    )+};
}
pub(super) use never_ready;

/// How the selected fields of objects of one type are written, in the order of the selection.
pub struct Plan<T: ReadyObject> {
    fields: Vec<Planned<T::Ready>>,
    is_whole: bool,
}

struct Planned<R> {
    /// The quoted key and the colon.
    key: Vec<u8>,
    how: How<R>,
}

enum How<R> {
    TypeName,
    Ready(R),
    ByEngine,
    /// Omitted from the answer.
    Omitted,
}

impl<T: ReadyObject> Plan<T> {
    pub fn of(ctx: &ContextSelectionSet<'_>, fields: &[&Positioned<Field>]) -> Self {
        let planned: Vec<_> = fields.iter().map(|field| planned::<T>(ctx, &field.node)).collect();
        let is_ready = planned.iter().all(|field| !matches!(field.how, How::ByEngine));
        let has_key = planned.iter().any(|field| !matches!(field.how, How::Omitted));
        Self { is_whole: is_ready && has_key && are_distinct(&planned), fields: planned }
    }

    /// The plan of a field's selection set, if all of it is ready.
    pub fn below(ctx: &ContextSelectionSet<'_>, field: &Field) -> Option<Self> {
        let fields = fields_of(ctx, &T::type_name(), &field.selection_set.node)?;
        Some(Self::of(ctx, &fields)).filter(Self::is_whole)
    }

    /// Whether the plan covers the whole object.
    pub fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// Writes a whole object. Returns false if one of its fields is not ready.
    pub fn write(&self, object: &T, request: &RequestContext, json: &mut Vec<u8>) -> bool {
        let mut separator = b'{';
        for Planned { key, how } in &self.fields {
            if matches!(how, How::Omitted) {
                continue;
            }
            json.push(separator);
            separator = b',';
            json.extend_from_slice(key);
            if !write_one(object, how, request, json) {
                return false;
            }
        }
        json.push(b'}');
        true
    }

    /// The value of each field that is ready and short.
    pub fn write_each(&self, object: &T, request: &RequestContext) -> Vec<Option<Value>> {
        let values = self.fields.iter().map(|field| {
            let mut json = Vec::new();
            let is_written = write_one(object, &field.how, request, &mut json) && json.len() < SHORT_BYTES_MAX;
            is_written.then(|| Value::Binary(json.into()))
        });
        values.collect()
    }
}

fn planned<T: ReadyObject>(ctx: &ContextSelectionSet<'_>, field: &Field) -> Planned<T::Ready> {
    let key = field.response_key().node.as_str();
    let how = match field.name.node.as_str() {
        _ if key == TYPE_NAME_KEY => How::Omitted,
        "__typename" => How::TypeName,
        _ => T::ready(ctx, field).map_or(How::ByEngine, How::Ready),
    };
    Planned { key: format!("\"{key}\":").into_bytes(), how }
}

fn are_distinct<R>(fields: &[Planned<R>]) -> bool {
    fields.iter().enumerate().all(|(index, field)| fields[..index].iter().all(|before| before.key != field.key))
}

fn write_one<T: ReadyObject>(object: &T, how: &How<T::Ready>, request: &RequestContext, json: &mut Vec<u8>) -> bool {
    match how {
        How::Ready(field) => object.write(field, request, json),
        How::TypeName => write(json, &*object.introspection_type_name()),
        How::ByEngine | How::Omitted => false,
    }
}

/// The JSON of each object, if it is short and all of its fields are ready. The texts share one buffer.
pub fn write_all<T: ReadyObject>(plan: &Plan<T>, objects: &[T], request: &RequestContext) -> Vec<Option<Value>> {
    let mut json = Vec::new();
    let mut ends = Vec::with_capacity(objects.len());
    for object in objects {
        let start = json.len();
        let is_written = plan.write(object, request, &mut json) && json.len() - start < SHORT_BYTES_MAX;
        if !is_written {
            json.truncate(start);
        }
        ends.push((json.len(), is_written));
    }
    let (json, mut start) = (Bytes::from(json), 0);
    let text = |(end, is_written): (usize, bool)| {
        let text = is_written.then(|| Value::Binary(json.slice(start..end)));
        start = end;
        text
    };
    ends.into_iter().map(text).collect()
}

/// Writes a value as JSON. Returns false if it cannot be encoded.
pub fn write(json: &mut Vec<u8>, value: &(impl Serialize + ?Sized)) -> bool {
    serde_json::to_writer(json, value).is_ok()
}

/// Writes a JSON list, item by item.
pub struct ListWriter<'j> {
    json: &'j mut Vec<u8>,
    separator: u8,
}

impl<'j> ListWriter<'j> {
    pub fn new(json: &'j mut Vec<u8>) -> Self {
        Self { json, separator: b'[' }
    }

    pub fn item(&mut self, write: impl FnOnce(&mut Vec<u8>) -> bool) -> bool {
        self.json.push(self.separator);
        self.separator = b',';
        write(self.json)
    }

    pub fn end(self) {
        if self.separator == b'[' {
            self.json.push(b'[');
        }
        self.json.push(b']');
    }
}

//! Checks the list of the declared fields that have an index. The rule: until a field is listed as built, filters by it are refused, so a field that is not built is
//! a difference, even if each post has its index rows.

use crate::content::field_indexes::CheckedFields;
use crate::content::tables::rows::field_index as rows;
use crate::keys::{Table, field_index};
use crate::store::Entity;

use super::fix::Fix;
use super::report::CheckReport;

/// Reports the fields whose index is not built.
pub(super) fn check_built(fields: &CheckedFields, report: &mut CheckReport) {
    for name in &fields.unbuilt {
        let what = format!("the index of the field {name} is not built, so filters by it are refused");
        report.add(Table::PostsByField, &field_index::fields(), what, Fix::FieldList);
    }
}

/// Checks the rows of the partition of the list.
pub(super) fn check_list(found: &[Entity], report: &mut CheckReport) {
    for row in found {
        if row.key != field_index::fields() {
            report.add(Table::PostsByField, &row.key, "is not a row of this table", Fix::ORPHAN);
        } else if let Err(error) = rows::read(row) {
            report.add_unreadable(Table::PostsByField, row, &error, Fix::FieldList);
        }
    }
}

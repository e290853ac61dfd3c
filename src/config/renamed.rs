//! Settings that had another name in an earlier version. The rule: the earlier name is refused with the present one, because a setting that is ignored
//! looks like one that was made. docs/upgrading.md has the same names.

use super::setting::Setting;
use super::table;

/// The earlier names of a setting.
pub struct EarlierNames {
    pub key: &'static str,
    pub variable: &'static str,
    pub flag: &'static str,
    pub setting: &'static Setting,
}

pub static EARLIER_NAMES: &[EarlierNames] = &[EarlierNames {
    key: "tell_storage",
    variable: "TIDINGS_TELL_STORAGE",
    flag: "tell-storage",
    setting: &table::REPORT_STORAGE,
}];

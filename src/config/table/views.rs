//! The settings of view counts. The rule: without them, nothing is counted, and there is no route for views.

use super::number;

settings! {
    ALL:
    MONTHS = number("views.months", (0, 120), || 0),
        "For how many months the views of posts are kept, the present one included; pages report them by POST /views. 0: no views are counted.";
}

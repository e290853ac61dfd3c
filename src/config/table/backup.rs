//! The settings of the backups that a server makes itself. The rule: without a location, it makes none.

use super::{number, switch, text};

settings! {
    ALL:
    PLACE = text("backup.place", "PLACE"),
        "Where the server backs up its content: a folder, az://CONTAINER/FOLDER or s3://BUCKET/FOLDER. Not set: it makes no backups.";
    EVERY_MINUTES = number("backup.every_minutes", (1, 1_440), || 60),
        "How often it does so. A restore can go to any moment in between.";
    TOKENS = switch("backup.tokens"),
        "Back up the tokens, the key of preview links and the webhooks too, which are secrets.";
}

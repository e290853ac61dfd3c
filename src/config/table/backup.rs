//! The settings of the backups that a server makes itself. The rule: without a location, it makes none.

use super::{number, switch, text};

settings! {
    ALL:
    PLACE = text("backup.place", "PLACE"),
        "Where the server backs up its content: a folder, az://CONTAINER/FOLDER or s3://BUCKET/FOLDER. Not set: it makes no backups.";
    EVERY_MINUTES = number("backup.every_minutes", (1, 1_440), || 60),
        "How often it does so. A restore can go to any moment in between.";
    KEEP_DAYS = number("backup.keep_days", (0, 3_650), || 0),
        "For how many days it can be restored to each moment; older files are deleted, pictures are not. 0: since the first backup.";
    TOKENS = switch("backup.tokens"),
        "Back up the tokens, the key of preview links and the webhooks too, which are secrets.";
}

//! The settings of a CDN. The rule: its secret is never shown, and what would have no effect, or could not be sent, is refused at the start.

use super::run_with;

const PURGED: [(&str, &str); 3] = [
    ("TIDINGS_CDN_SECONDS", "600"),
    ("TIDINGS_CDN_KIND", "fastly"),
    ("TIDINGS_CDN_PURGE_URL", "https://api.fastly.com/service/ID/purge"),
];

#[test]
fn the_secret_of_purges_is_not_shown() {
    let variables: Vec<_> = PURGED.into_iter().chain([("TIDINGS_CDN_PURGE_TOKEN", "of-the-cdn")]).collect();
    let ran = run_with(&["serve", "--print-config"], &variables);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    assert!(ran.out.contains("purge_url = \"https://api.fastly.com/service/ID/purge\""), "{}", ran.out);
    assert!(!ran.out.contains("of-the-cdn"), "{}", ran.out);
}

#[test]
fn settings_without_effect_and_secrets_that_cannot_be_sent_are_refused() {
    let [seconds, kind, url] = PURGED;
    let token = ("TIDINGS_CDN_PURGE_TOKEN", "of-the-cdn");
    let off = run_with(&["serve", "--print-config"], &[("TIDINGS_CDN_SECONDS", "0"), kind, url, token]);
    assert_eq!((off.code, off.err.as_str()), (Some(0), ""), "all of it is switched off");
    let cases: &[(&[(&str, &str)], &str)] = &[
        (&[kind], "no effect without cdn.seconds"),
        (&[("TIDINGS_CDN_STALE_SECONDS", "9")], "no effect without cdn.seconds"),
        (&[seconds, url], "no effect without cdn.kind"),
        (&[kind, url], "no effect without cdn.seconds"),
        (&[seconds, kind, token], "no effect without cdn.purge_url"),
        (&[seconds, ("TIDINGS_LIMITS_ANSWER_CACHE_BYTES", "0")], "no effect without limits.answer_cache_bytes"),
        (&[seconds, ("TIDINGS_CDN_KIND", "akamai")], "neither fastly nor cloudflare nor varnish"),
        (&[seconds, kind, ("TIDINGS_CDN_PURGE_URL", "https://:of-the-cdn@cdn.example/")], "without a user"),
        (&[seconds, kind, ("TIDINGS_CDN_PURGE_URL", "https://cdn.example/?key=of-the-cdn")], "cdn.purge_token"),
        (&[seconds, kind, url, ("TIDINGS_CDN_PURGE_TOKEN", "of-the-cdn and more")], "cannot be sent in a header"),
    ];
    for (variables, reason) in cases {
        let ran = run_with(&["serve", "--print-config"], variables);
        assert!(ran.complaint().contains(reason), "{variables:?}: {}", ran.err);
        assert!(!ran.err.contains("of-the-cdn"), "{}", ran.err);
    }
}

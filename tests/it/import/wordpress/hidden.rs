//! What WordPress showed to some readers only.

use super::{imported_items, item, meta, notes, shown};

/// A block with its name and its attributes around a secret.
fn block(name: &str, attributes: &str) -> String {
    format!(
        "<!-- wp:paragraph -->\n<p>Open.</p>\n<!-- /wp:paragraph -->\n<!-- wp:{name} {attributes}-->\n<div><p>secret</p></div>\n<!-- /wp:{name} -->"
    )
}

#[tokio::test]
async fn a_post_that_not_everyone_could_read_whole_is_a_draft_with_a_note() {
    let secret = "Open.\n\nsecret";
    let with_field = |key: &str, value: &str| {
        (secret.to_owned(), meta(key, value), format!("the field {key} with the value {value:?}"))
    };
    let with_block =
        |name: &str, attributes: &str| (block(name, attributes), String::new(), format!("the block {name}"));
    let with_shortcode = |name: &str, text: &str| (text.to_owned(), String::new(), format!("the shortcode [{name}]"));
    let um = "a:2:{s:26:\"_um_custom_access_settings\";s:1:\"1\";s:14:\"_um_accessible\";s:1:\"2\";}";
    let cases = [
        with_block("premium-content/subscriber-view", ""),
        with_block("woocommerce-memberships/member-content", ""),
        with_block("pmpro/membership", "{\"levels\":[\"1\"]} "),
        with_block("group", "{\"metadata\":{\"blockVisibility\":false}} "),
        with_block("paragraph", "{\"otterConditions\":[[{\"type\":\"loggedInUser\"}]]} "),
        (
            "<!-- wp:jetpack/paywall /-->\n<p>secret</p>".to_owned(),
            String::new(),
            "the block jetpack/paywall".to_owned(),
        ),
        (
            "<div class=\"wp-block-premium-content-subscriber-view\">secret</div>".to_owned(),
            String::new(),
            "the block premium-content/subscriber-view".to_owned(),
        ),
        with_field("_jetpack_newsletter_access", "paid_subscribers"),
        with_field("_jetpack_memberships_contains_paid_content", "1"),
        with_field("_members_access_role", "editor"),
        with_field("rcp_subscription_level", "any-paid"),
        with_field("memberful_acl", "a:1:{i:0;i:1;}"),
        (
            secret.to_owned(),
            meta("um_content_restriction", um),
            "the field um_content_restriction with the value".to_owned(),
        ),
        with_shortcode("members_only", "a [members_only]secret[/members_only]"),
        with_shortcode("restrict", "a [restrict paid=\"true\"]secret[/restrict]"),
        with_shortcode("ppw", "a [ppw id=\"3\" passwords=\"x\"]"),
        with_shortcode("wcm_restrict", "<p>a</p>[wcm_restrict plans=\"x\"]<p>secret</p>[/wcm_restrict]"),
        with_shortcode("mepr-show", "[mepr-show rules=\"1\"]secret[/mepr-show]"),
        with_shortcode("s2If", "[s2If current_user_can(access_s2member_level1)]secret[/s2If]"),
        with_shortcode("sociallocker", "[sociallocker]secret[/sociallocker]"),
        with_shortcode("private", "[private role=\"editor\"]secret[/private]"),
        with_shortcode("LoggedInMember", "[LoggedInMember]secret[/LoggedInMember]"),
        with_shortcode("MembersOnly", "a [MembersOnly] secret"),
    ];
    let items: Vec<String> =
        (1..).zip(&cases).map(|(number, (content, more, _))| item(number, content, more)).collect();
    let (site, report) = imported_items(&items).await;
    assert_eq!((report.made, report.failed.len()), (cases.len(), 0), "{report:?}");
    let notes = notes(&report);
    for (number, (content, _, what)) in (1..).zip(&cases) {
        let note = format!("{number}: has {what}");
        let is_noted = |found: &&String| found.starts_with(&note) && found.ends_with("it is imported as a draft");
        assert_eq!(notes.iter().filter(is_noted).count(), 1, "{content}: {notes:#?}");
    }
    assert_eq!(shown(&site, "title").await, [], "each of them is a draft");
}

#[tokio::test]
async fn what_everyone_could_read_stays_public() {
    let um = "a:1:{s:26:\"_um_custom_access_settings\";s:1:\"0\";}";
    let cases = [
        ("a", meta("_jetpack_newsletter_access", "everybody")),
        ("a", meta("_jetpack_memberships_contains_paid_content", "")),
        ("a", meta("_wc_memberships_force_public", "no")),
        ("a", meta("um_content_restriction", um)),
        ("a", meta("_wp_page_template", "members.php")),
        ("<!-- wp:jetpack/subscriptions /-->\n<p>a</p>", String::new()),
        ("<!-- wp:coblocks/team-member -->\n<p>a</p>\n<!-- /wp:coblocks/team-member -->", String::new()),
        ("a [login-form] b [sic] c", String::new()),
        ("<pre>[DataMember]\npublic int A;\n\n[IgnoreDataMember]\npublic int B;</pre>", String::new()),
    ];
    let items: Vec<String> = (1..).zip(&cases).map(|(number, (content, more))| item(number, content, more)).collect();
    let (site, report) = imported_items(&items).await;
    assert_eq!((report.made, shown(&site, "title").await.len()), (cases.len(), cases.len()), "{report:?}");
}

#[tokio::test]
async fn drafts_private_posts_and_posts_with_a_password_are_drafts() {
    let of = |number: u32, status: &str, more: &str| {
        item(number, "secret", more).replace(">publish<", &format!(">{status}<"))
    };
    let password = "<wp:post_password>x</wp:post_password>";
    let items = [
        of(1, "draft", ""),
        of(2, "pending", ""),
        of(3, "private", ""),
        of(4, "publish", password),
        of(5, "trash", ""),
    ];
    let (site, report) = imported_items(&items).await;
    assert_eq!((report.made, report.skipped.len()), (4, 1), "{report:?}");
    let expected = ["3: is private, so it is imported as a draft", "4: has a password, so it is imported as a draft"];
    assert_eq!(notes(&report), expected);
    assert_eq!(shown(&site, "title").await, []);
}

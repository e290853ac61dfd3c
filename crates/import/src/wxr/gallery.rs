//! WordPress's `[gallery]`. The rule: it shows the pictures that it names, or those that were uploaded to its post, with their captions; a gallery
//! without any picture in the export stays text.

use crate::html;

use super::site::{Attachment, WxrSite};

pub(super) struct Galleries<'s> {
    pub site: &'s WxrSite,
    /// The number of the post.
    pub post: &'s str,
}

impl Galleries<'_> {
    /// The pictures of a gallery as HTML, and how many of them are not in the export. `values`: the names and values of the shortcode's attributes. `None` if the export contains none of its pictures.
    pub(super) fn read(&self, values: &[(&str, String)]) -> Option<(String, usize)> {
        let value = |name| values.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str());
        let named = value("ids").or_else(|| value("include")).map(numbers);
        let pictures = match &named {
            Some(named) => named.iter().filter_map(|number| self.site.attachments.get(*number)).collect(),
            None => self.of_post(value("id").unwrap_or(self.post), &value("exclude").map(numbers).unwrap_or_default()),
        };
        let pictures: Vec<&Attachment> = pictures.into_iter().filter(|file| file.is_picture()).collect();
        let missing = named.map_or(0, |named| named.len() - pictures.len());
        (!pictures.is_empty()).then(|| (pictures.iter().map(|file| figure(file)).collect(), missing))
    }

    /// The pictures that were uploaded to a post, in WordPress's order.
    fn of_post(&self, post: &str, excluded: &[&str]) -> Vec<&Attachment> {
        let uploaded =
            self.site.attachments.iter().filter(|(number, file)| {
                file.parent == post && file.is_picture() && !excluded.contains(&number.as_str())
            });
        let mut uploaded: Vec<_> = uploaded.collect();
        uploaded.sort_by_key(|(number, file)| (file.order, number.parse::<u64>().unwrap_or(u64::MAX)));
        uploaded.into_iter().map(|(_, file)| file).collect()
    }
}

fn numbers(text: &str) -> Vec<&str> {
    text.split(|c: char| c == ',' || c.is_whitespace()).filter(|number| !number.is_empty()).collect()
}

fn figure(Attachment { address, alt, caption, .. }: &Attachment) -> String {
    let caption = Some(caption.as_str()).filter(|caption| !caption.is_empty());
    html::figure(address, alt.as_deref(), caption) + "\n"
}

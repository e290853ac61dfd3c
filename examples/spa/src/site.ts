// What the site is called. Change this first.
export const SITE = {
  name: "The Lighthouse Log",
  line: "Notes from a small observatory in a retired lighthouse, where there is also soup.",
  /** Of dates, and of how words are sorted. */
  language: "en-GB",
};

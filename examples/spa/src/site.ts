// The name of the site. Change this first.
export const SITE = {
  name: "The Lighthouse Log",
  line: "Notes from a small observatory in a retired lighthouse, where there is also soup.",
  /** The language of dates and of sorting. */
  language: "en-GB",
};

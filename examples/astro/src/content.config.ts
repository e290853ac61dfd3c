import { defineCollection } from "astro:content";
import { tidings } from "./tidings/loader";
import { SOURCES } from "./tidings/sources";

export const collections = {
  posts: defineCollection({ loader: tidings(SOURCES.posts) }),
  tags: defineCollection({ loader: tidings(SOURCES.tags) }),
  categories: defineCollection({ loader: tidings(SOURCES.categories) }),
  authors: defineCollection({ loader: tidings(SOURCES.authors) }),
  pages: defineCollection({ loader: tidings(SOURCES.pages) }),
};

/** The format of slugs (docs/interface/publishing.md, "Slugs"). Some slugs in this format are reserved. */
export const SLUG = /^[a-z0-9](?:[a-z0-9-]{0,46}[a-z0-9])?$/;

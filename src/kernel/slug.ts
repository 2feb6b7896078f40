/**
 * The format of a slug (docs/interface/publishing.md, "Slugs"): 1 to 48 lower-case letters, digits and hyphens, with no
 * hyphen at either end. Some slugs in this format are reserved.
 */
export const SLUG = /^[a-z0-9](?:[a-z0-9-]{0,46}[a-z0-9])?$/;

/**
 * What a slug is written with (docs/interface/publishing.md, "Slugs"): 1 to 48 lower-case letters, digits and hyphens,
 * neither first nor last a hyphen. Some such names are reserved.
 */
export const SLUG = /^[a-z0-9](?:[a-z0-9-]{0,46}[a-z0-9])?$/;

/** Files that configure a site. They are never served. */
export const REDIRECTS = '_redirects';
export const HEADERS = '_headers';

export const isSiteFile = (path: string) => path === REDIRECTS || path === HEADERS;

/**
 * Maximum number of bytes read from a file. Matching takes at most one step per character of a rule, so this also
 * limits the time per request. Decision 0021 contains the measurements.
 */
export const MAX_READ_BYTES = 256 * 1024;
/** Number of characters parsed before other requests get a turn. */
export const READ_IN_A_TURN = 4 * 1024;
/** Maximum line length. Cloudflare allows 1,000 for a redirect and 2,000 for a header; Netlify documents no limit. */
export const MAX_LINE_LENGTH = 8_000;
/** Maximum number of rules per file (docs/interface/serving.md, "Redirects and headers"). */
export const MAX_REDIRECTS = 2_000;
export const MAX_HEADER_RULES = 500;
export const MAX_HEADER_LINES = 5_000;
/** Maximum number of segments in the path of a rule. Files can be nested at most 32 folders deep. */
export const MAX_SEGMENTS = 64;
/**
 * Maximum number of placeholders in a destination or value. Visitors choose the length of the text that replaces each
 * one.
 */
export const MAX_PLACEHOLDERS = 16;
/**
 * Maximum total length of a site’s own headers on one response. Most browsers and proxies accept little more than this.
 */
export const MAX_CHOSEN_HEADERS_LENGTH = 16 * 1024;
/** Maximum number of warnings per file. A final warning reports how many were omitted. */
export const MAX_WARNINGS = 100;

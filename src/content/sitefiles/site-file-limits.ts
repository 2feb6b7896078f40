/** Files that configure a site. They are never served. */
export const REDIRECTS = '_redirects';
export const HEADERS = '_headers';

export const isSiteFile = (path: string) => path === REDIRECTS || path === HEADERS;

/**
 * Maximum number of bytes read from a file. Matching takes at most one step per character of a rule, so this also
 * limits the time per request. Decision 0021 contains the measurements.
 */
export const READ_UP_TO = 256 * 1024;
/** Number of characters parsed before other requests get a turn. */
export const READ_IN_A_TURN = 4 * 1024;
/** Maximum line length. Cloudflare allows 1,000 for a redirect and 2,000 for a header; Netlify documents no limit. */
export const LINE_UP_TO = 8_000;
/** Maximum number of rules per file (docs/interface/serving.md, "Redirects and headers"). */
export const REDIRECTS_UP_TO = 2_000;
export const HEADER_RULES_UP_TO = 500;
export const HEADER_LINES_UP_TO = 5_000;
/** Maximum number of segments in the path of a rule. Files can be nested at most 32 folders deep. */
export const SEGMENTS_UP_TO = 64;
/**
 * Maximum number of placeholders in a destination or value. Visitors choose the length of the text that replaces each
 * one.
 */
export const PLACEHOLDERS_UP_TO = 16;
/**
 * Maximum total length of a site’s own headers on one response. Most browsers and proxies accept little more than this.
 */
export const CHOSEN_UP_TO = 16 * 1024;
/** Maximum number of warnings per file. A final warning reports how many were omitted. */
export const WARNINGS_UP_TO = 100;

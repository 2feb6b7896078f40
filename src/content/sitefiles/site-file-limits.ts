/** The files that are about a site and no part of it: they are read, and never shown. */
export const REDIRECTS = '_redirects';
export const HEADERS = '_headers';

export const isSiteFile = (path: string) => path === REDIRECTS || path === HEADERS;

/**
 * What is read of each file, in bytes. Matching a request takes at most one step for each character of a rule, so this
 * is also what keeps any file from holding the process: see decision 0021 for the milliseconds.
 */
export const READ_UP_TO = 256 * 1024;
/** Characters that are read before others have their turn. */
export const READ_IN_A_TURN = 4 * 1024;
/** In characters. Cloudflare reads 1,000 of a redirect and 2,000 of a header; Netlify names no limit. */
export const LINE_UP_TO = 8_000;
/** Rules that count, of each file (docs/interface/serving.md, "Redirects and headers"). */
export const REDIRECTS_UP_TO = 2_000;
export const HEADER_RULES_UP_TO = 500;
export const HEADER_LINES_UP_TO = 5_000;
/** Of a path in a rule; a file may be 32 folders deep. */
export const SEGMENTS_UP_TO = 64;
/** In one destination or value: a visitor chooses what each stands for, and how long that is. */
export const PLACEHOLDERS_UP_TO = 16;
/** Characters of all headers that a site chooses for one answer; browsers and proxies take hardly more. */
export const CHOSEN_UP_TO = 16 * 1024;
/** Of one file; the last of them says how many there are. */
export const WARNINGS_UP_TO = 100;

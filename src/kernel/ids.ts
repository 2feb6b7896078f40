export type IdPrefix =
  | 'site'
  | 'prb'
  | 'inc'
  | 'dep'
  | 'job'
  | 'usr'
  | 'mem'
  | 'inv'
  | 'dom'
  | 'ses'
  | 'wrk'
  | 'ctk'
  | 'evt'
  | 'req'
  | 'rbk'
  | 'pwd'
  | 'grt'
  | 'cli'
  | 'tok'
  | 'pub'
  | 'lnk';

/** Generates IDs that sort by time: a prefix, `_`, and a UUIDv7 (RFC 9562) as 26 characters of Crockford base32. */
export abstract class Ids {
  abstract make(prefix: IdPrefix): string;

  /** Derives an ID from a name. The same name always gives the same ID, which reveals neither the name nor a time. */
  abstract of(prefix: IdPrefix, name: string): string;
}

/** Checks the format of an ID. A string in any other format is treated as an unknown ID (404, not 400). */
export const isId = (prefix: IdPrefix, text: string) =>
  text.startsWith(`${prefix}_`) && /^[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(text.slice(prefix.length + 1));

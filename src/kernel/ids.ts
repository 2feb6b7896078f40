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

/**
 * Generates identifiers that consist of a prefix, `_`, and a UUIDv7 (RFC 9562) as 26 characters of lower-case Crockford
 * base32. They sort by time.
 */
export abstract class Ids {
  abstract make(prefix: IdPrefix): string;

  /**
   * Returns the ID of something that exists once per name. It is deterministic, has the same format, and does not
   * reveal the name or a time.
   */
  abstract of(prefix: IdPrefix, name: string): string;
}

/**
 * Reports whether a string has the format of such an identifier. Any other string is treated as an unknown ID, which
 * leads to 404 instead of 400.
 */
export const isId = (prefix: IdPrefix, text: string) =>
  text.startsWith(`${prefix}_`) && /^[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(text.slice(prefix.length + 1));

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
 * Makes identifiers: a prefix, `_`, and a UUIDv7 (RFC 9562) as 26 characters of lower-case Crockford base32. They sort
 * by
 * time.
 */
export abstract class Ids {
  abstract make(prefix: IdPrefix): string;

  /**
   * The ID of something that exists once per name. Deterministic, in the same format; reveals neither the name nor a
   * time.
   */
  abstract of(prefix: IdPrefix, name: string): string;
}

/** Whether the text has the format of such an identifier. Any other text is treated as an unknown ID: 404, not 400. */
export const isId = (prefix: IdPrefix, text: string) =>
  text.startsWith(`${prefix}_`) && /^[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(text.slice(prefix.length + 1));

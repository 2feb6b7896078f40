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

/** Makes identifiers: prefix, `_`, and a UUIDv7 (RFC 9562) in 26 characters of lower-case Crockford base32. They sort by time. */
export abstract class Ids {
  abstract make(prefix: IdPrefix): string;

  /** The id of what is there once for this name: the same each time, in the same shape. It tells nothing of the name, and no time. */
  abstract of(prefix: IdPrefix, name: string): string;
}

/** Whether the text has the shape of such an identifier. One that has not is an unknown one: 404, not 400. */
export const isId = (prefix: IdPrefix, text: string) =>
  text.startsWith(`${prefix}_`) && /^[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(text.slice(prefix.length + 1));

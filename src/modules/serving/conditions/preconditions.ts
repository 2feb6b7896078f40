/** Request headers that affect how a file is served. Repeated headers are joined (RFC 9110 section 5.3). */
export type RequestFields = {
  host: string | undefined;
  acceptEncoding: string | undefined;
  range: string | undefined;
  ifRange: string | undefined;
  ifMatch: string | undefined;
  ifNoneMatch: string | undefined;
  ifModifiedSince: string | undefined;
  ifUnmodifiedSince: string | undefined;
  serviceWorker: boolean;
  hasBody: boolean;
  upgrade: boolean;
};

type Text = {
  [Key in keyof RequestFields as string | undefined extends RequestFields[Key] ? Key : never]: RequestFields[Key];
};

const TEXTS: ReadonlyMap<string, keyof Text> = new Map([
  ['host', 'host'],
  ['accept-encoding', 'acceptEncoding'],
  ['range', 'range'],
  ['if-range', 'ifRange'],
  ['if-match', 'ifMatch'],
  ['if-none-match', 'ifNoneMatch'],
  ['if-modified-since', 'ifModifiedSince'],
  ['if-unmodified-since', 'ifUnmodifiedSince'],
]);

const LENGTHS = new Set(
  [...TEXTS.keys(), 'service-worker', 'content-length', 'transfer-encoding', 'upgrade'].map((n) => n.length),
);

/** Reads the headers from the parser's list of names and values. This is cheaper than Node's `headers` object. */
export function requestFields(rawHeaders: readonly string[]): RequestFields {
  const fields: RequestFields = {
    host: undefined,
    acceptEncoding: undefined,
    range: undefined,
    ifRange: undefined,
    ifMatch: undefined,
    ifNoneMatch: undefined,
    ifModifiedSince: undefined,
    ifUnmodifiedSince: undefined,
    serviceWorker: false,
    hasBody: false,
    upgrade: false,
  };
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const sent = rawHeaders[at] ?? '';
    if (!LENGTHS.has(sent.length)) continue;
    const name = sent.toLowerCase();
    const value = rawHeaders[at + 1] ?? '';
    const key = TEXTS.get(name);
    if (key !== undefined) {
      const before = fields[key];
      fields[key] = before === undefined ? value : `${before}, ${value}`;
    } else if (name === 'service-worker') fields.serviceWorker = true;
    else if (name === 'upgrade') fields.upgrade = true;
    else if (name === 'content-length' || name === 'transfer-encoding') fields.hasBody = true;
  }
  return fields;
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

const IMF = /^[a-z]{3}, (\d{2}) ([a-z]{3}) (\d{4}) (\d{2}):(\d{2}):(\d{2}) gmt$/i;
const RFC850 = /^[a-z]{6,9}, (\d{2})-([a-z]{3})-(\d{2}) (\d{2}):(\d{2}):(\d{2}) gmt$/i;
const ASCTIME = /^[a-z]{3} ([a-z]{3}) ([\d ]\d) (\d{2}):(\d{2}):(\d{2}) (\d{4})$/i;

/**
 * Parses an HTTP date in one of its three formats (RFC 9110 section 5.6.7). Does not use `Date.parse`, which accepts
 * more formats. Returns milliseconds since 1970, or null if the date is malformed.
 */
export function httpDate(field: string): number | null {
  const text = field.trim();
  const imf = IMF.exec(text);
  if (imf) return time(imf[3], imf[2], imf[1], imf.slice(4));
  const asctime = ASCTIME.exec(text);
  if (asctime) return time(asctime[6], asctime[1], asctime[2], asctime.slice(3, 6));
  const old = RFC850.exec(text);
  return old ? time(String(fullYear(Number(old[3]))), old[2], old[1], old.slice(4)) : null;
}

/** A two-digit year more than 50 years in the future is in the previous century (RFC 9110 section 5.6.7). */
function fullYear(two: number): number {
  const now = new Date().getUTCFullYear();
  const year = now - (now % 100) + two;
  return year > now + 50 ? year - 100 : year;
}

function time(year = '', month = '', day = '', [hours, minutes, seconds]: readonly string[]): number | null {
  const [y, m, d] = [Number(year), MONTHS.indexOf(month.toLowerCase()), Number(day)];
  const [h, min, s] = [Number(hours), Number(minutes), Number(seconds)];
  const lastOfMonth = new Date(Date.UTC(y, m + 1, 0)).getUTCDate();
  // Accept 60 in the seconds field, because of leap seconds.
  if (m < 0 || d < 1 || d > lastOfMonth || h > 23 || min > 59 || s > 60) return null;
  return Date.UTC(y, m, d, h, min, s);
}

/**
 * Current entity tags and modification time of a file, which are compared with the preconditions of a request. The
 * first entity tag is that of the body that would be sent.
 */
export type Validators = {
  /** Strong entity tags of the file, including their quotes. */
  readonly etags: readonly string[];
  /** Modification time in milliseconds since 1970, rounded to a whole second; null if unknown. */
  readonly modifiedAt: number | null;
};

/**
 * Result of the preconditions: `go` sends the file, `failed` responds with 412, and `same` responds with 304 and the
 * entity tag that the visitor has.
 */
export type PreconditionResult = 'go' | 'failed' | { readonly same: string };

export const isConditional = (fields: RequestFields) =>
  fields.ifNoneMatch !== undefined ||
  fields.ifModifiedSince !== undefined ||
  fields.ifMatch !== undefined ||
  fields.ifUnmodifiedSince !== undefined;

/** Evaluates the preconditions of GET and HEAD in the order of RFC 9110 section 13.2.2. Ignores malformed dates. */
export function evaluate(fields: RequestFields, { etags, modifiedAt }: Validators): PreconditionResult {
  const [own = ''] = etags;
  if (fields.ifMatch !== undefined) {
    if (named(fields.ifMatch, etags, 'strong') === null) return 'failed';
  } else if (fields.ifUnmodifiedSince !== undefined && modifiedAt !== null) {
    const date = httpDate(fields.ifUnmodifiedSince);
    if (date !== null && modifiedAt > date) return 'failed';
  }

  if (fields.ifNoneMatch !== undefined) {
    const same = named(fields.ifNoneMatch, etags, 'weak');
    return same === null ? 'go' : { same };
  }
  if (fields.ifModifiedSince !== undefined && modifiedAt !== null) {
    const date = httpDate(fields.ifModifiedSince);
    if (date !== null && modifiedAt <= date) return { same: own };
  }
  return 'go';
}

/**
 * Evaluates `If-Range` (RFC 9110 section 13.1.5). Returns whether the visitor already has parts of exactly this
 * content, so that the requested ranges can be sent.
 */
export function canSendPart(ifRange: string | undefined, { etags: [own], modifiedAt }: Validators): boolean {
  if (ifRange === undefined) return true;
  const field = ifRange.trim();
  if (field.startsWith('"') || field.startsWith('W/')) return field === own;
  return modifiedAt !== null && httpDate(field) === modifiedAt;
}

/** Returns the first entity tag in the header that is one of `etags`, or null. `*` matches the first of `etags`. */
function named(field: string, etags: readonly string[], comparison: 'strong' | 'weak'): string | null {
  // Handle the most common case first: browsers send back the single tag that they received.
  if (etags.includes(field)) return field;
  if (field.trim() === '*') return etags[0] ?? null;
  for (const [part] of field.matchAll(TAG)) {
    const tag = part.startsWith('W/') ? (comparison === 'weak' ? part.slice(2) : '') : part;
    if (etags.includes(tag)) return tag;
  }
  return null;
}

/** Matches an entity tag, which may contain commas (RFC 9110 section 8.8.3). */
const TAG = /(?:W\/)?"[^"]*"/g;

/** The request headers that serving depends on. Repeated headers are joined into one list (RFC 9110 section 5.3). */
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
  /** Whether the request has an `Upgrade` header. */
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

/**
 * Reads the headers from the parser’s list of names and values, which is cheaper than Node’s own object of all headers.
 */
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

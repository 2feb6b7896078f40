/** What a visitor's request says that matters here. A field that came more than once is one list, as RFC 9110 section 5.3 has it. */
export type Asked = {
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
  /** It would rather speak another protocol. */
  upgrade: boolean;
};

type Text = {
  [Key in keyof Asked as string | undefined extends Asked[Key] ? Key : never]: Asked[Key];
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

/** Reads them from the list of names and values that the parser made; Node's own object of all headers costs more. */
export function askedOf(rawHeaders: readonly string[]): Asked {
  const asked: Asked = {
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
      const before = asked[key];
      asked[key] = before === undefined ? value : `${before}, ${value}`;
    } else if (name === 'service-worker') asked.serviceWorker = true;
    else if (name === 'upgrade') asked.upgrade = true;
    else if (name === 'content-length' || name === 'transfer-encoding') asked.hasBody = true;
  }
  return asked;
}

/** What the header fields of a request say of who sent it. */
export type VisitorFields = {
  userAgent: string;
  referer: string;
  /** All that proxies have said of where it came from, as one list; null where none has. */
  forwardedFor: string | null;
  /** `DNT: 1` or `Sec-GPC: 1`: the visitor objects to being recognised. */
  objects: boolean;
  /** A browser fetches it before a person has asked for it. */
  isPrefetch: boolean;
};

/** Characters of a field that are looked at: no browser's are longer, and no other client's are worth it. */
const MOST = 512;

/** A field that came more than once counts as its first, except for lists of proxies. */
export function visitorFields(rawHeaders: readonly string[]): VisitorFields {
  const fields: VisitorFields = { userAgent: '', referer: '', forwardedFor: null, objects: false, isPrefetch: false };
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    // Most fields are told by the length of their names, which costs least.
    switch (name.length) {
      case 3:
      case 7:
      case 10:
      case 11:
      case 15:
        take(fields, name.toLowerCase(), rawHeaders[at + 1] ?? '');
    }
  }
  return fields;
}

function take(fields: VisitorFields, name: string, value: string) {
  switch (name) {
    case 'user-agent':
      if (fields.userAgent === '') fields.userAgent = value.slice(0, MOST);
      break;
    case 'referer':
      if (fields.referer === '') fields.referer = value.slice(0, MOST);
      break;
    case 'dnt':
    case 'sec-gpc':
      fields.objects ||= value === '1';
      break;
    case 'sec-purpose':
    case 'purpose':
      fields.isPrefetch ||= /\b(?:prefetch|prerender|preview)\b/i.test(value.slice(0, MOST));
      break;
    case 'x-forwarded-for':
      // The last ones were added by proxies of ours.
      fields.forwardedFor = `${fields.forwardedFor === null ? '' : `${fields.forwardedFor},`}${value}`.slice(-MOST);
      break;
  }
}

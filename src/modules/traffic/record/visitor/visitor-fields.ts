export type VisitorFields = {
  userAgent: string;
  referer: string;
  /** All `X-Forwarded-For` fields as one list. */
  forwardedFor: string | null;
  /** Whether the visitor has opted out of being recognized, with `DNT: 1` or `Sec-GPC: 1`. */
  objects: boolean;
  /** Whether the browser prefetches a page that the visitor has not opened yet. */
  isPrefetch: boolean;
};

/** Maximum length of a field. Browsers do not send longer ones. */
const MAX_CHARACTERS = 512;

/**
 * Extracts the header fields that describe a visitor. If a field occurs several times, the first one is used. All
 * `X-Forwarded-For` fields are joined.
 */
export function visitorFields(rawHeaders: readonly string[]): VisitorFields {
  const fields: VisitorFields = { userAgent: '', referer: '', forwardedFor: null, objects: false, isPrefetch: false };
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    // Comparing the length of the name is the cheapest way to rule out most fields.
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
      if (fields.userAgent === '') fields.userAgent = value.slice(0, MAX_CHARACTERS);
      break;
    case 'referer':
      if (fields.referer === '') fields.referer = value.slice(0, MAX_CHARACTERS);
      break;
    case 'dnt':
    case 'sec-gpc':
      fields.objects ||= value === '1';
      break;
    case 'sec-purpose':
    case 'purpose':
      fields.isPrefetch ||= /\b(?:prefetch|prerender|preview)\b/i.test(value.slice(0, MAX_CHARACTERS));
      break;
    case 'x-forwarded-for':
      // Keep the end of the list, because its last entries were added by trusted proxies.
      fields.forwardedFor = `${fields.forwardedFor === null ? '' : `${fields.forwardedFor},`}${value}`.slice(
        -MAX_CHARACTERS,
      );
      break;
  }
}

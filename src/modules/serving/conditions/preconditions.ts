import { httpDate } from './http-date.js';
import type { RequestFields } from './request-fields.js';

/** What preconditions are evaluated against: entity tags, beginning with that of the body that would be sent, and a time. */
export type Validators = {
  /** Strong ones, with their quotes. */
  readonly etags: readonly string[];
  /** Milliseconds since 1970, whole seconds; null where it has none. */
  readonly modifiedAt: number | null;
};

/** What to do: send the file (`go`), answer 412 (`failed`), or answer 304 with the entity tag that the visitor has. */
export type PreconditionResult = 'go' | 'failed' | { readonly same: string };

/** Whether there is anything to evaluate at all. */
export const isConditional = (fields: RequestFields) =>
  fields.ifNoneMatch !== undefined ||
  fields.ifModifiedSince !== undefined ||
  fields.ifMatch !== undefined ||
  fields.ifUnmodifiedSince !== undefined;

/** For GET and HEAD, in the order of RFC 9110 section 13.2.2. A malformed date is ignored. */
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

/** Whether a part may be sent (RFC 9110 section 13.1.5): only to a visitor who has the rest of exactly these bytes. */
export function canSendPart(ifRange: string | undefined, { etags: [own], modifiedAt }: Validators): boolean {
  if (ifRange === undefined) return true;
  const field = ifRange.trim();
  if (field.startsWith('"') || field.startsWith('W/')) return field === own;
  return modifiedAt !== null && httpDate(field) === modifiedAt;
}

/** The first of the tags that the field names; `*` names the first there is. */
function named(field: string, etags: readonly string[], comparison: 'strong' | 'weak'): string | null {
  // What a browser sends: the one tag that it was given.
  if (etags.includes(field)) return field;
  if (field.trim() === '*') return etags[0] ?? null;
  for (const [part] of field.matchAll(TAG)) {
    const tag = part.startsWith('W/') ? (comparison === 'weak' ? part.slice(2) : '') : part;
    if (etags.includes(tag)) return tag;
  }
  return null;
}

/** An entity tag, which may have commas in it (RFC 9110 section 8.8.3). */
const TAG = /(?:W\/)?"[^"]*"/g;

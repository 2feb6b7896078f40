import { httpDate } from './http-date.js';
import type { RequestFields } from './request-fields.js';

/**
 * Entity tags and modification time that preconditions are evaluated against. The first tag is that of the body that
 * would be sent.
 */
export type Validators = {
  /** Strong entity tags, including their quotes. */
  readonly etags: readonly string[];
  /** Milliseconds since 1970, in whole seconds; null if there is none. */
  readonly modifiedAt: number | null;
};

/**
 * Next action: send the file (`go`), respond with 412 (`failed`), or respond with 304 and the entity tag that the
 * visitor has.
 */
export type PreconditionResult = 'go' | 'failed' | { readonly same: string };

/** Whether the request has any preconditions. */
export const isConditional = (fields: RequestFields) =>
  fields.ifNoneMatch !== undefined ||
  fields.ifModifiedSince !== undefined ||
  fields.ifMatch !== undefined ||
  fields.ifUnmodifiedSince !== undefined;

/** Evaluates the preconditions of GET and HEAD in the order of RFC 9110 section 13.2.2. Ignores a malformed date. */
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
 * Whether a part may be sent (RFC 9110 section 13.1.5), which requires that the visitor has the rest of exactly these
 * bytes.
 */
export function canSendPart(ifRange: string | undefined, { etags: [own], modifiedAt }: Validators): boolean {
  if (ifRange === undefined) return true;
  const field = ifRange.trim();
  if (field.startsWith('"') || field.startsWith('W/')) return field === own;
  return modifiedAt !== null && httpDate(field) === modifiedAt;
}

/** Returns the first of the tags that the header names. `*` names the first one. */
function named(field: string, etags: readonly string[], comparison: 'strong' | 'weak'): string | null {
  // Fast path for browsers, which send the single tag that they were given.
  if (etags.includes(field)) return field;
  if (field.trim() === '*') return etags[0] ?? null;
  for (const [part] of field.matchAll(TAG)) {
    const tag = part.startsWith('W/') ? (comparison === 'weak' ? part.slice(2) : '') : part;
    if (etags.includes(tag)) return tag;
  }
  return null;
}

/** An entity tag, which may contain commas (RFC 9110 section 8.8.3). */
const TAG = /(?:W\/)?"[^"]*"/g;

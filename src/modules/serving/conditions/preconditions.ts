import { httpDate } from './http-date.js';
import type { Asked } from './request-fields.js';

/** What a file may be asked for by: its entity tags, the one it would be sent with first, and its time. */
export type Validators = {
  /** Strong ones, with their quotes. */
  readonly etags: readonly string[];
  /** Milliseconds since 1970, whole seconds; null where it has none. */
  readonly modifiedAt: number | null;
};

/** What to do: go on, say that it failed, or say that the visitor has it, under this tag. */
export type Verdict = 'go' | 'failed' | { readonly same: string };

/** Whether there is anything to evaluate at all. */
export const isConditional = (asked: Asked) =>
  asked.ifNoneMatch !== undefined ||
  asked.ifModifiedSince !== undefined ||
  asked.ifMatch !== undefined ||
  asked.ifUnmodifiedSince !== undefined;

/** For GET and HEAD, in the order of RFC 9110 section 13.2.2. A date that is none is as if it had not been sent. */
export function evaluate(asked: Asked, { etags, modifiedAt }: Validators): Verdict {
  const [own = ''] = etags;
  if (asked.ifMatch !== undefined) {
    if (named(asked.ifMatch, etags, 'strong') === null) return 'failed';
  } else if (asked.ifUnmodifiedSince !== undefined && modifiedAt !== null) {
    const date = httpDate(asked.ifUnmodifiedSince);
    if (date !== null && modifiedAt > date) return 'failed';
  }

  if (asked.ifNoneMatch !== undefined) {
    const same = named(asked.ifNoneMatch, etags, 'weak');
    return same === null ? 'go' : { same };
  }
  if (asked.ifModifiedSince !== undefined && modifiedAt !== null) {
    const date = httpDate(asked.ifModifiedSince);
    if (date !== null && modifiedAt <= date) return { same: own };
  }
  return 'go';
}

/** Whether a part may be sent (RFC 9110 section 13.1.5): only to who has the rest of exactly this. */
export function mayHavePart(ifRange: string | undefined, { etags: [own], modifiedAt }: Validators): boolean {
  if (ifRange === undefined) return true;
  const field = ifRange.trim();
  if (field.startsWith('"') || field.startsWith('W/')) return field === own;
  return modifiedAt !== null && httpDate(field) === modifiedAt;
}

/** The first of the tags that the field names; `*` names the first there is. */
function named(field: string, etags: readonly string[], comparison: 'strong' | 'weak'): string | null {
  // What a browser sends: the one tag it was given.
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

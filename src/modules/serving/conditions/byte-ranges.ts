import type { ByteRange } from '../../../storage/blobs/blob-store.js';

/** Maximum number of ranges in a request. Document viewers do not request more. */
const MAX_RANGES = 16;

/**
 * Parses a `Range` header (RFC 9110 section 14.1.2). Returns `whole` if the header must be ignored: its unit is
 * unknown, it is malformed, or it requests too many ranges, overlapping ranges or the whole content. Section 14.2
 * allows servers to ignore requests that cost more than they are worth.
 */
export function parseByteRanges(field: string, size: number): readonly ByteRange[] | 'whole' | 'unsatisfiable' {
  const unit = /^[ \t]*bytes[ \t]*=/i.exec(field)?.[0];
  if (unit === undefined) return 'whole';
  const specs = field.slice(unit.length).split(',', MAX_RANGES + 1);
  if (specs.length > MAX_RANGES) return 'whole';

  const ranges: ByteRange[] = [];
  let some = false;
  for (const spec of specs) {
    const text = spec.trim();
    // Elements of a list in a header may be empty (RFC 9110 section 5.6.1).
    if (text === '') continue;
    const range = rangeOf(text, size);
    if (range === 'malformed') return 'whole';
    some = true;
    if (range !== 'unsatisfiable') ranges.push(range);
  }
  if (!some) return 'whole';
  if (ranges.length === 0) return 'unsatisfiable';
  return ranges.length > 1 && isTooMuch(ranges, size) ? 'whole' : ranges;
}

function rangeOf(spec: string, size: number): ByteRange | 'malformed' | 'unsatisfiable' {
  const match = /^(\d*)-(\d*)$/.exec(spec);
  const [, from = '', to = ''] = match ?? [];
  if (from === '') {
    if (to === '') return 'malformed';
    const length = Math.min(Number(to), size);
    return length === 0 ? 'unsatisfiable' : { first: size - length, last: size - 1 };
  }
  const first = Number(from);
  if (to !== '' && Number(to) < first) return 'malformed';
  if (first >= size) return 'unsatisfiable';
  return { first, last: to === '' ? size - 1 : Math.min(Number(to), size - 1) };
}

function isTooMuch(ranges: readonly ByteRange[], size: number): boolean {
  const sorted = ranges.toSorted((a, b) => a.first - b.first);
  if (sorted.some((range, n) => range.first <= (sorted[n - 1]?.last ?? -1))) return true;
  return ranges.reduce((sum, { first, last }) => sum + last - first + 1, 0) >= size;
}

type Range = { readonly range: string; readonly quality: number };

/**
 * Returns the offered media type that an `Accept` header prefers (RFC 9110 section 12.5.1). Among types of equal
 * quality, prefers exact matches to wildcard matches, then the order of the offer. Returns the first offered type if
 * there is no header or nothing matches.
 */
export function preferredType<Type extends string>(
  accept: string | undefined,
  offered: readonly [Type, ...Type[]],
): Type {
  const ranges = (accept ?? '*/*').split(',', 50).map(rangeOf);
  let best = { type: offered[0], quality: 0, precision: 0 };
  for (const type of offered) {
    const { quality, precision } = fitOf(type, ranges);
    const better = quality > best.quality || (quality === best.quality && quality > 0 && precision > best.precision);
    if (better) best = { type, quality, precision };
  }
  return best.type;
}

function rangeOf(text: string): Range {
  const [range = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const quality = parameters.map((part) => /^q=([01](?:\.\d{0,3})?)$/.exec(part)?.[1]).find(Boolean);
  return { range, quality: Math.min(Number(quality ?? 1), 1) };
}

function fitOf(type: string, ranges: readonly Range[]) {
  const names = [type, `${type.split('/', 1)[0]}/*`, '*/*'];
  for (const [index, name] of names.entries()) {
    const found = ranges.find(({ range }) => range === name);
    if (found) return { quality: found.quality, precision: names.length - index };
  }
  return { quality: 0, precision: 0 };
}

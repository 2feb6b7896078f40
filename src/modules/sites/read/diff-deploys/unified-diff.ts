import { createTwoFilesPatch } from 'diff';

/** The longest text that is compared, in bytes of each side. */
export const MOST_BYTES = 524_288;

/** A comparison that takes longer, or finds more lines that differ, tells only that the files do. */
const MOST_MS = 2_000;
const MOST_EDITS = 5_000;

/** A file as one deploy has it; null where it has none. */
export type Side = { readonly name: string; readonly bytes: Buffer | null };

/**
 * What changed from one text to the other, as `diff -u` writes it; empty where they are the same. Of what is no text, or
 * differs too much, only that it does. Others are served meanwhile.
 */
export async function unifiedDiff(path: string, from: Side, to: Side): Promise<string> {
  if (from.bytes && to.bytes && from.bytes.equals(to.bytes)) return '';
  const [before, after] = [textOf(from.bytes), textOf(to.bytes)];
  const names = [from.bytes ? `a/${path}` : '/dev/null', to.bytes ? `b/${path}` : '/dev/null'] as const;
  if (before === null || after === null) return `Binary files ${names.join(' and ')} differ\n`;
  const patch = await new Promise<string | undefined>((callback) =>
    createTwoFilesPatch(...names, before, after, from.name, to.name, {
      context: 3,
      maxEditLength: MOST_EDITS,
      timeout: MOST_MS,
      callback,
    }),
  );
  return patch?.replace(/^=+\n/, '') ?? `Files ${names.join(' and ')} differ\n`;
}

/** Null for what is no text: it has a NUL, as `diff` and git judge, or is not UTF-8. */
function textOf(bytes: Buffer | null): string | null {
  if (bytes === null) return '';
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

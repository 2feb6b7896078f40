import { createTwoFilesPatch } from 'diff';

export const MAX_DIFF_BYTES = 524_288;

/** If computing a diff exceeds these limits, it only reports that the files differ. */
const MAX_MS = 2_000;
const MAX_EDITS = 5_000;

/** A version of a file in one of the two deploys. `bytes` is null if the deploy does not contain the file. */
export type Side = { readonly name: string; readonly bytes: Buffer | null };

/**
 * Returns the changes between two versions of a file in the format of `diff -u`; empty if they are equal. For files
 * that are binary or differ too much, only reports that they differ. Yields to other requests while it runs.
 */
export async function unifiedDiff(path: string, from: Side, to: Side): Promise<string> {
  if (from.bytes && to.bytes && from.bytes.equals(to.bytes)) return '';
  const [before, after] = [textOf(from.bytes), textOf(to.bytes)];
  const names = [from.bytes ? `a/${path}` : '/dev/null', to.bytes ? `b/${path}` : '/dev/null'] as const;
  if (before === null || after === null) return `Binary files ${names.join(' and ')} differ\n`;
  const patch = await new Promise<string | undefined>((callback) =>
    createTwoFilesPatch(...names, before, after, from.name, to.name, {
      context: 3,
      maxEditLength: MAX_EDITS,
      timeout: MAX_MS,
      callback,
    }),
  );
  return patch?.replace(/^=+\n/, '') ?? `Files ${names.join(' and ')} differ\n`;
}

/** Returns null for a binary file, which contains a NUL (as in `diff` and git) or is not UTF-8. */
function textOf(bytes: Buffer | null): string | null {
  if (bytes === null) return '';
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

import { formatBytes } from '../../kernel/output/quantities.js';
import type { LeftOut } from '../../kernel/ports/outside/builder.js';
import type { ImageSource } from '../../kernel/ports/outside/image-builder.js';
import { refuse } from '../../kernel/refusal.js';
import { type PackedMember, packTar } from '../archive/tar.js';
import { whyOutside } from '../workspace/links.js';
import { linkTarget, whyNotWritten } from '../workspace/work-tree.js';

const CONTROL = /\p{Control}/u;

export type BuildContext = { readonly archive: AsyncIterable<Uint8Array>; readonly leftOut: readonly LeftOut[] };

/** Packs a source’s files, then the links whose target is in the source. Throws `too_large`. */
export async function buildContext({ entries, content }: ImageSource, mostBytes: number): Promise<BuildContext> {
  const leftOut: LeftOut[] = [];
  const links = new Map<string, string>();
  const members: PackedMember[] = [];
  let left = mostBytes;
  for (const entry of entries) {
    const { path, kind, size, isExecutable } = entry;
    const why = whyNotWritten(entry) ?? (CONTROL.test(path ?? '') ? 'its name contains control characters' : null);
    if (path === null || why !== null) leftOut.push({ path: path?.slice(0, 200) ?? '?', why: why ?? '' });
    else if (kind === 'link') links.set(path, await linkTarget(content(entry)));
    else {
      left -= size;
      if (left < 0)
        refuse('too_large', `The files in the repository are larger than ${formatBytes(mostBytes)} in total.`);
      members.push({ path, size, isExecutable, content: () => content(entry) });
    }
  }
  for (const [path, link] of links) {
    const why = CONTROL.test(link) ? 'its target contains control characters' : whyOutside(path, links);
    if (why === null) members.push({ path, link });
    else leftOut.push({ path, why });
  }
  return { archive: packTar(members), leftOut };
}

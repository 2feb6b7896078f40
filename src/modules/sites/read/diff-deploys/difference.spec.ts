import { describe, expect, it } from '@jest/globals';
import { digestOf } from '../../../../../test/support/events/site-examples.js';
import { decodeManifest, encodeManifest } from '../../../../storage/blobs/manifest.js';
import { compareManifests } from './difference.js';

/** `{ 'a.txt': '1' }` stands for a file whose digest begins with 1 and whose size is 1. */
const manifest = (files: Record<string, string>) => {
  const { digest, text } = encodeManifest(
    Object.entries(files).map(([path, start]) => ({ path, sha256: digestOf(start), size: Number(start) })),
  );
  return decodeManifest(digest, text);
};
const file = (path: string, start: string) => ({ path, sha256: digestOf(start), size: Number(start) });

describe('The difference between two deploys', () => {
  it('lists added, changed and removed files', () => {
    const from = manifest({ 'kept.txt': '1', 'changed.txt': '2', 'gone.txt': '3' });
    const to = manifest({ 'kept.txt': '1', 'changed.txt': '4', 'new.txt': '5' });
    expect(compareManifests(from, to)).toEqual({
      added: [file('new.txt', '5')],
      changed: [file('changed.txt', '4')],
      removed: [file('gone.txt', '3')],
    });
  });

  it('lists a moved file as both removed and added', () => {
    const { added, changed, removed } = compareManifests(manifest({ 'a.txt': '1' }), manifest({ 'b.txt': '1' }));
    expect([added, changed, removed]).toEqual([[file('b.txt', '1')], [], [file('a.txt', '1')]]);
  });

  it('the difference is sorted by path in byte order', () => {
    const many = manifest({ é: '1', z: '1', Z: '1', 'a/b': '1', 'a-b': '1' });
    expect(compareManifests(manifest({ x: '1' }), many).added.map(({ path }) => path)).toEqual([
      'Z',
      'a-b',
      'a/b',
      'z',
      'é',
    ]);
  });

  it('the difference between a deploy and itself is empty', () => {
    const same = manifest({ 'a.txt': '1' });
    expect(compareManifests(same, same)).toEqual({ added: [], changed: [], removed: [] });
  });
});

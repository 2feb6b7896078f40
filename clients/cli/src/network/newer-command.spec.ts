import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mentionNewerCommand } from './newer-command.js';

const DAY_MS = 86_400_000;
const newer = { version: '9.9.9', instance: 'https://stele.example' };

describe('mentionNewerCommand', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'stele-newer-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function mention({ isInteractive = true, quiet = false, offered = newer, now = Date.now(), cache = folder } = {}) {
    const lines: string[] = [];
    const output = {
      isInteractive,
      options: { json: false, quiet, color: false },
      note: (text: string) => void lines.push(text),
      paint: (_: string, text: string) => text,
    };
    mentionNewerCommand(output, offered, { environment: { XDG_CACHE_HOME: cache }, now });
    return lines;
  }

  it('prints how to install the newer version, at most once a day', () => {
    expect(mention()).toEqual([
      'stele 9.9.9 is available (this is 0.0.0). Update it with: curl -fsSL https://stele.example/cli/install.sh | sh',
    ]);
    expect(mention()).toEqual([]);
    expect(mention({ now: Date.now() + DAY_MS + 1 })).toHaveLength(1);
  });

  it('prints nothing in scripts, with --quiet, or if there is no newer version', () => {
    expect(mention({ isInteractive: false })).toEqual([]);
    expect(mention({ quiet: true })).toEqual([]);
    expect(mention({ offered: null as never })).toEqual([]);
  });

  it('prints nothing if the time of the notice cannot be stored', () => {
    writeFileSync(join(folder, 'file'), '');
    expect(mention({ cache: join(folder, 'file') })).toEqual([]);
  });

  it('removes control characters from the version that the instance sends', () => {
    expect(mention({ offered: { ...newer, version: '9\u001b[31m.1' } })[0]).toContain('stele 931m.1 is available');
  });
});

// needs: database

import { generateKeyPairSync, hash, sign } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { canonical } from '../../src/kernel/hashing/canonical.js';
import { temporaryFolder } from '../support/service/stele.js';
import { AuditVerifier, verify, verifyWithin } from '../support/sites/audit-verifier.js';

type Line = Record<string, unknown>;

const stream = 'site-site_01m7z8r9freghb8vz9pccdmmkk';
const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const { x = '' } = publicKey.export({ format: 'jwk' });
const keyId = hash('sha256', canonical({ crv: 'Ed25519', kty: 'OKP', x }), 'base64url');
const at = '2026-11-20T10:54:00.000Z';

/** Returns a chain of events as the service would store them. `change` can modify each event before it is hashed. */
function eventsOf(count: number, change: (event: Line, revision: number) => Line = (event) => event): Line[] {
  let previousHash: string | null = null;
  return Array.from({ length: count }, (_, index) => {
    const revision = index + 1;
    const plain = { id: `evt_${revision}`, stream, revision, type: 'SiteDeployed', schema: 1, at };
    const form = change({ ...plain, actor: { kind: 'user', name: 'Zoë 😀' }, data: { number: revision } }, revision);
    const made: Line = { ...form, previousHash, hash: hash('sha256', `${previousHash ?? ''}${canonical(form)}`) };
    previousHash = made.hash as string;
    return made;
  });
}

function signed(checkpoint: Line, key = privateKey): Line {
  const signature = sign(null, Buffer.from(canonical({ checkpoint })), key).toString('base64url');
  return { checkpoint, keyId, publicKey: { crv: 'Ed25519', kty: 'OKP', x }, signature };
}
const endOf = (events: readonly Line[]) =>
  signed({ stream, revision: events.length, hash: events.at(-1)?.hash, at: '2026-11-21T00:00:00.000Z' });

const text = (lines: readonly (Line | string)[]) =>
  lines.map((line) => `${typeof line === 'string' ? line : canonical(line)}\n`).join('');

/** The verifier must print a plain sentence for every file, never a stack trace. */
describe('The audit verifier', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let verifier: AuditVerifier;
  beforeAll(async () => {
    temporary = await temporaryFolder('files');
    verifier = new AuditVerifier();
  });
  afterAll(async () => {
    await verifier.end();
    await temporary.remove();
  });

  const file = (name: string) => join(temporary.folder, name);
  let judgements = 0;
  const judged = async (content: string | Buffer, ...more: string[]) => {
    const path = file(`export-${++judgements}.ndjson`);
    await writeFile(path, content);
    const verdict = await verifier.verify(path, ...more);
    await rm(path);
    expect(`${verdict.said}${verdict.complained}`).not.toMatch(/\n\s+at |Error:/);
    expect(`${verdict.said}${verdict.complained}`).not.toMatch(/[^\n\P{Cc}]/u);
    return verdict;
  };
  const events = eventsOf(4);
  const [one, two, three, four] = events as [Line, Line, Line, Line];
  const end = endOf(events);

  it('a valid export is reported as valid', async () =>
    expect(await judged(text([...events, end]))).toMatchObject({ code: 0, complained: '' }));

  it('terminal control sequences in an export are shown as text', async () => {
    const steering = eventsOf(2, (event) => ({ ...event, stream: '\u001b]0;x\u0007\u202e' }));
    const last = signed({ stream: '\u001b]0;x\u0007\u202e', revision: 2, hash: steering.at(-1)?.hash, at });
    expect(await judged(text([...steering, last]))).toMatchObject({ code: 0 });
  });

  it('an export without a trailing newline is accepted', async () =>
    expect(await judged(text([...events, end]).trimEnd())).toMatchObject({ code: 0 }));

  const rewrite = (line: Line, change: Line) => ({ ...line, ...change });
  const other = eventsOf(1, (event) => ({ ...event, stream: 'site-other' }));

  it.concurrent.each<[string, readonly (Line | string)[], RegExp]>([
    ['an empty file', [], /line 1: There is no checkpoint: the file ends after revision 0/],
    ['an empty line', [''], /line 1: The line is not valid JSON/],
    ['an export without a checkpoint', events, /line 5: There is no checkpoint: the file ends after revision 4/],
    [
      'an export without one of the revisions',
      [one, two, four, end],
      /line 3: Revision 3 is missing: revision 2 is followed by revision 4/,
    ],
    ['an export without the first event', [two, three, four, end], /line 1: Revision 1 is missing/],
    [
      'two events in the wrong order',
      [one, three, two, four, end],
      /line 2: Revision 3 comes before revision 2, which is in line 3/,
    ],
    ['a repeated event', [one, two, two, three, four, end], /line 3: Revision 2 appears twice/],
    [
      'an older event that is repeated later',
      [one, two, three, one, four, end],
      /line 4: Revision 1 comes after revision 3: the order was changed/,
    ],
    ['an event of another stream', [one, ...other, three, end], /line 2: The event belongs to another stream/],
    [
      'a checkpoint of another stream',
      [one, signed({ stream: 'site-other', revision: 1, hash: one.hash, at })],
      /line 2: The checkpoint belongs to another stream/,
    ],
    [
      'a changed hash',
      [one, rewrite(two, { hash: 'f'.repeat(64) }), three, four, end],
      /line 2: The hash of revision 2 does not match its content/,
    ],
    [
      'a changed previous hash',
      [one, rewrite(two, { previousHash: null }), three, four, end],
      /line 2: Revision 2 does not follow the previous line/,
    ],
    [
      'changed data',
      [one, rewrite(two, { data: { number: 7 } }), three, four, end],
      /line 2: The hash of revision 2 does not match its content/,
    ],
    [
      'a truncated end',
      [one, two, three, end],
      /line 4: The checkpoint is for revision 4, but the events end at 3: some were cut off/,
    ],
    [
      'an extended end',
      [...events, ...eventsOf(5).slice(4), end],
      /line 6: The checkpoint is for revision 4, but the events continue to 5/,
    ],
    [
      'a different end',
      [...eventsOf(4, (event, n) => (n === 4 ? { ...event, type: 'SiteExpired' } : event)), end],
      /line 5: The hash in the checkpoint differs/,
    ],
    ['an event after the checkpoint', [...events, end, one], /line 6: There is a line after the checkpoint/],
    ['a second checkpoint', [...events, end, end], /line 6: There is a line after the checkpoint/],
    ['a checkpoint without events', [end], /line 1: The checkpoint is for revision 4, but the events end at 0/],
    [
      'a changed checkpoint',
      [...events, { ...end, checkpoint: { ...(end.checkpoint as Line), at } }],
      /line 5: The signature does not match the checkpoint/,
    ],
    [
      'a stranger’s signature',
      [...events, signed(end.checkpoint as Line, generateKeyPairSync('ed25519').privateKey)],
      /line 5: The signature does not match/,
    ],
    ['a malformed signature', [...events, { ...end, signature: '!' }], /line 5: The signature does not match/],
    [
      'a public key of the wrong length',
      [
        ...events,
        {
          ...end,
          publicKey: { crv: 'Ed25519', kty: 'OKP', x: 'AA' },
          keyId: hash('sha256', canonical({ crv: 'Ed25519', kty: 'OKP', x: 'AA' }), 'base64url'),
        },
      ],
      /line 5: The signature does not match/,
    ],
    ['the ID of another key', [...events, { ...end, keyId: 'x' }], /line 5: “keyId” is not the thumbprint/],
    [
      'the service’s own report of damage',
      [one, { fault: { stream, revision: 2, at, detail: 'Revision 2 \u001b[2J is\u009b gone' } }],
      /line 2: The service itself reports.*Revision 2/,
    ],
    [
      'a field that the hash does not cover',
      [rewrite(one, { 'note\u001b[31m': 1 })],
      /line 1: The line has a field .* which no hash or signature covers/,
    ],
    [
      'terminal control sequences',
      [one, ...eventsOf(1, (event) => ({ ...event, stream: '\u001b]0;x\u0007\u202e' }))],
      /line 2: The event belongs to another stream/,
    ],
  ])('the error for %s names the line and the reason', async (_, lines, why) => {
    const { code, said } = await judged(text(lines));
    expect(said).toMatch(why);
    expect(code).toBe(1);
  });

  it.concurrent.each<[string, string | Buffer]>([
    ['is not JSON', 'hello'],
    ['is a number', '7'],
    ['is null', 'null'],
    ['is an array', '[]'],
    ['is an empty object', '{}'],
    ['has only a __proto__ field', '{"__proto__":{"checkpoint":{}}}'],
    ['consists of NULs', '\u0000\u0000\u0000'],
    ['has a NUL in its JSON', canonical(one).replace('evt_1', 'evt_\u0000')],
    ['is not UTF-8', Buffer.from([0x22, 0xff, 0xfe, 0x22])],
    ['begins with a byte order mark', `\ufeff${canonical(one)}`],
    ['ends in CRLF', `${canonical(one)}\r`],
    ['contains a space', canonical(one).replace(',', ', ')],
    ['has a duplicate field', canonical(one).replace('{"actor":', '{"actor":{},"actor":')],
    ['has its fields in another order', JSON.stringify(one)],
    ['writes a number differently', canonical(one).replace('"revision":1', '"revision":1.0')],
    ['has a number that is too large', canonical(one).replace('"number":1', '"number":1e999')],
    ['has a number that a double can’t represent', canonical(one).replace('"number":1', '"number":9007199254740993')],
    ['has a lone surrogate', canonical(one).replace('evt_1', 'evt_\\ud800')],
    ['has 500,000 opening brackets', '['.repeat(500_000)],
    ['has 300,000 nested arrays', `${'['.repeat(300_000)}${']'.repeat(300_000)}`],
    [
      'has data nested 100,000 deep',
      canonical(one).replace('"number":1', `"number":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`),
    ],
    ...(['actor', 'at', 'data', 'hash', 'id', 'previousHash', 'revision', 'schema', 'stream', 'type'] as const).flatMap(
      (name): [string, string][] => [
        [`lacks ${name}`, canonical({ ...one, [name]: undefined })],
        ...[[], -1, 0.5, true, '', { a: 1 }, null, '\u001b[2J']
          .filter((value) => !(name === 'previousHash' && value === null))
          .filter((value) => !(['actor', 'data'].includes(name) && canonical(value) === '{"a":1}'))
          .filter((value) => !(['id', 'stream', 'type'].includes(name) && value === '\u001b[2J'))
          .map((value): [string, string] => [
            `has ${JSON.stringify(value)} for ${name}`,
            canonical({ ...one, [name]: value }),
          ]),
      ],
    ),
  ])(
    'an export whose first line %s is rejected',
    async (_, line) => {
      const rest = text([two, three, four, end]);
      const { code, said } = await judged(Buffer.concat([Buffer.from(line), Buffer.from(`\n${rest}`)]));
      expect([code, said]).toEqual([1, expect.stringMatching(/line 1: .+\.\n$/)]);
    },
    60_000,
  );

  it.concurrent('an export whose checkpoint has missing or invalid fields is rejected', async () => {
    const { checkpoint } = end as { checkpoint: Line };
    const wrong: readonly Line[] = [
      { checkpoint: [] },
      { checkpoint: null },
      { ...end, publicKey: 'x' },
      { ...end, publicKey: { crv: 'P-256', kty: 'EC', x } },
      { ...end, signature: 7 },
      { ...end, signature: undefined },
      { ...end, more: 1 },
      ...Object.keys(checkpoint).map((name) => ({ ...end, checkpoint: { ...checkpoint, [name]: {} } })),
    ];
    for (const line of wrong)
      expect(await judged(text([...events, line]))).toMatchObject({ code: 1, said: expect.stringMatching(/line 5: /) });
  });

  it.concurrent('an export that is truncated at any byte is rejected', async () => {
    const whole = Buffer.from(text([...events, end]));
    for (let length = 1; length < whole.length - 1; length += 67) {
      const { code } = await judged(whole.subarray(0, length));
      expect([length, code]).toEqual([length, 1]);
    }
  }, 60_000);

  it.concurrent('an export is rejected if any single byte is changed', async () => {
    const whole = Buffer.from(text([...events, end]));
    for (let place = 0; place < whole.length - 1; place += 41) {
      const changed = Buffer.from(whole);
      changed[place] = changed[place]! ^ 1;
      // Some bits of a file change nothing in its canonical text: the unused bits in the last base64 digit of a
      // signature or key. The verifier must reject changes to these bits as well.
      const { code } = await judged(changed);
      expect([place, code]).toEqual([place, 1]);
    }
  }, 60_000);

  it('the verifier reports that it checked nothing if it is given no file, a folder or unknown arguments', async () => {
    await mkdir(file('folder'), { recursive: true });
    await writeFile(file('good.ndjson'), text([...events, end]));
    await writeFile(file('no-key'), '{"keys":[{"kty":"OKP","crv":"Ed25519"},7,null]}');
    await writeFile(file('no-json'), 'hello');
    for (const words of [
      [file('nothing')],
      [file('folder')],
      [],
      [file('good.ndjson'), 'more'],
      [file('good.ndjson'), '--sinse', 'x'],
      [file('good.ndjson'), '--since', file('nothing')],
      [file('good.ndjson'), '--key', file('nothing')],
      [file('good.ndjson'), '--key', file('no-key')],
      [file('good.ndjson'), '--key', file('no-json')],
      [file('good.ndjson'), '--key', 'http://127.0.0.1:1/'],
      [file('good.ndjson'), '--key', '/dev/zero'],
    ]) {
      const { code, said, complained } = await verify(...words);
      expect([words, code, said]).toEqual([words, 2, '']);
      expect(complained).toMatch(/^\S.+/);
      expect(complained).not.toMatch(/\n\s+at /);
    }
  });

  it('the verifier accepts keys as a set, as a single key, or as PEM', async () => {
    const jwk = { kty: 'OKP', crv: 'Ed25519', x };
    await writeFile(file('set.json'), JSON.stringify({ keys: [{ kty: 'RSA' }, jwk] }));
    await writeFile(file('one.json'), JSON.stringify(jwk));
    await writeFile(file('key.pem'), publicKey.export({ type: 'spki', format: 'pem' }));
    for (const name of ['set.json', 'one.json', 'key.pem']) {
      expect(await judged(text([...events, end]), '--key', file(name))).toMatchObject({ code: 0 });
    }
    await writeFile(
      file('retired.json'),
      JSON.stringify({ keys: [{ ...jwk, retiredAt: '2026-11-20T23:59:59.999Z' }] }),
    );
    expect(await judged(text([...events, end]), '--key', file('retired.json'))).toMatchObject({
      code: 1,
      said: expect.stringMatching(/line 5: The checkpoint is signed with a key that had already been retired/),
    });
  });

  it('if the older of two exports is invalid, the error names the older export', async () => {
    await writeFile(file('older.ndjson'), text([one, three]));
    expect(await judged(text([...events, end]), '--since', file('older.ndjson'))).toMatchObject({
      code: 1,
      said: expect.stringMatching(/older\.ndjson, line 2: Revision 2 is missing/),
    });
  });

  const write = (name: string, pieces: Iterable<string>) =>
    pipeline(Readable.from(pieces, { objectMode: false }), createWriteStream(file(name)));

  it('the verifier rejects a line of 300 MB without reading the whole line', async () => {
    await write('wide.ndjson', Array.from({ length: 300 }, () => 'x'.repeat(1_000_000)).values());
    expect(await verify(file('wide.ndjson'))).toMatchObject({
      code: 1,
      said: expect.stringMatching(/line 1: The line is longer than 1 MiB/),
    });
  }, 60_000);

  it('the verifier uses little more memory for 150,000 events than for a few events', async () => {
    const many = eventsOf(150_000);
    await write(
      'long.ndjson',
      (function* () {
        for (const event of many) yield `${canonical(event)}\n`;
        yield `${canonical(endOf(many))}\n`;
      })(),
    );
    // The heap of 16 MB is less than a third of the file.
    const { code, said } = await verifyWithin(16, file('long.ndjson'), '--since', file('long.ndjson'));
    expect([code, said]).toEqual([0, expect.stringContaining('150000 events')]);
  }, 120_000);
});

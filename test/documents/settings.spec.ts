import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { describeSetting } from '../../src/settings/declaration.js';
import { Environment, settingGroups } from '../../src/settings/settings.js';
import { writeSettingsDocument } from '../../tools/settings/document.js';

describe('docs/settings.md', () => {
  it('the document is identical to the output of `npm run settings`', async () =>
    expect(await readFile('docs/settings.md', 'utf8')).toBe(writeSettingsDocument()));

  it('each setting appears in exactly one group of the document', () =>
    expect(settingGroups.flatMap(({ settings }) => Object.keys(settings)).sort()).toEqual(
      Object.keys(Environment.shape).sort(),
    ));

  it.each(Object.entries(Environment.shape))(
    'the description of %s consists of sentences and covers all values',
    (_, schema) => {
      const { description, form } = describeSetting(schema);
      expect(description).toMatch(/^[A-Z].{15,}\.$/);
      expect(form).toMatch(/^[^A-Z.].*[^.]$/);
    },
  );
});

describe('Settings named in the documents', () => {
  it('each setting named in a document is used by Stele, its command, Compose, the Caddyfile or an example agent', async () => {
    const texts = await Promise.all(documents.map((path) => readFile(path, 'utf8')));
    const others = await Promise.all(
      ['docker-compose.yml', 'Caddyfile', 'examples/agent.sh', ...command].map((path) => readFile(path, 'utf8')),
    );
    const known = new Set([...Object.keys(Environment.shape), ...namesIn(others.join('\n'))]);
    expect([...namesIn(texts.join('\n'))].filter((name) => !known.has(name))).toEqual([]);
  });
});

const documents = [
  ...['README.md', '.env.example', 'docs/operate.md', 'docs/https.md', 'docs/privacy.md'],
  ...readdirSync('docs/guides').map((name) => `docs/guides/${name}`),
];

const command = readdirSync('clients/cli/src', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => `clients/cli/src/${name}`);

const namesIn = (text: string) =>
  new Set(
    [...text.matchAll(/\b(?:STELE_(?!TEST_)|OIDC_|LLM_|SMTP_URL|DATABASE_URL|REDIS_URL|EVENTSTORE_URL)[A-Z_]*/g)].map(
      ([name]) => name,
    ),
  );

import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { describeSetting } from '../../src/settings.declaration.js';
import { Environment, settingGroups } from '../../src/settings.js';
import { writeSettingsDocument } from '../../tools/settings/document.js';

describe('docs/settings.md', () => {
  it('is what `npm run settings` writes today', async () =>
    expect(await readFile('docs/settings.md', 'utf8')).toBe(writeSettingsDocument()));

  it('has every setting in one group', () =>
    expect(settingGroups.flatMap(({ settings }) => Object.keys(settings)).sort()).toEqual(
      Object.keys(Environment.shape).sort(),
    ));

  it.each(Object.entries(Environment.shape))('describes %s in sentences, and its values', (_, schema) => {
    const { description, form } = describeSetting(schema);
    expect(description).toMatch(/^[A-Z].{15,}\.$/);
    expect(form).toMatch(/^[^A-Z.].*[^.]$/);
  });
});

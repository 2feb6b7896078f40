import { describe, expect, it } from '@jest/globals';
import { partAfter } from '../../../../../test/support/events/given-when.js';
import { deployed } from '../../../../../test/support/events/site-examples.js';
import {
  CapabilitySet,
  SecretDeleted,
  SecretSet,
  SiteAccessSet,
  SiteDescribed,
  SiteRenamed,
} from '../../../../events/site/settings.events.js';
import type { SiteEvent } from '../../../../events/site/site.events.js';
import { defaultSettings, evolveSettings } from './settings.state.js';

const initial = defaultSettings('one');
const folded = (...history: SiteEvent[]) => partAfter(evolveSettings, initial, ...history);
const renamed = (before: string, slug: string) => SiteRenamed({ before, slug });

describe('A site’s settings', () => {
  it('a new site has public visibility and no details', () =>
    expect(initial).toMatchObject({ slug: 'one', visibility: 'public', passwordId: null, title: '', robots: 'index' }));

  it('a site’s settings are those that were set last', () => {
    const details = { title: 'Otters', description: 'About otters', robots: 'noindex' as const };
    const access = { visibility: 'password' as const, passwordId: 'pwd_1' };
    expect(folded(SiteAccessSet(access), SiteDescribed(details))).toEqual({ ...initial, ...access, ...details });
  });

  it('each former slug is included once, without the current slug', () => {
    expect(folded(renamed('one', 'two'), renamed('two', 'three'))).toMatchObject({
      slug: 'three',
      formerSlugs: ['one', 'two'],
    });
    expect(folded(renamed('one', 'two'), renamed('two', 'one'), renamed('one', 'three'))).toMatchObject({
      slug: 'three',
      formerSlugs: ['two', 'one'],
    });
  });

  it('a site’s settings include the configuration of each capability', () => {
    const set = (enabled: boolean) => CapabilitySet({ name: 'spa', enabled, config: {} });
    expect(folded(set(true), set(false)).capabilities).toEqual({ spa: { enabled: false, config: {} } });
  });

  it('a site’s settings include the latest version of each secret, even of a deleted one', () => {
    const key = (version: number) => ({ name: 'KEY', version });
    expect(folded(SecretSet(key(1)), SecretDeleted(key(1))).secrets).toEqual({ KEY: { version: 1, deleted: true } });
    expect(folded(SecretSet(key(1)), SecretDeleted(key(1)), SecretSet(key(2))).secrets).toEqual({
      KEY: { version: 2, deleted: false },
    });
  });

  it('other events do not change a site’s settings', () => expect(evolveSettings(initial, deployed(1))).toBeNull());
});

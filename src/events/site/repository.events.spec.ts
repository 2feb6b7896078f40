import { describe, expect, it } from '@jest/globals';
import { SiteRepositoryLinked } from './repository.events.js';
import { summarizeEvent } from './site-summary.js';

const linked = SiteRepositoryLinked.example;

describe('Events about the linked repository', () => {
  it.each([
    [linked, 'Linked to https://example.org/a/b, branch main, built on the schedule “0 3 * * *” (UTC)'],
    [{ ...linked, branch: null, schedule: null }, 'Linked to https://example.org/a/b'],
  ])('an event with the data %j is summarized in the history as %j', (data, summary) =>
    expect(summarizeEvent({ ...SiteRepositoryLinked(data), actor: { kind: 'user' } })).toBe(summary),
  );
});

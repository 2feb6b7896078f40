import { describe, expect, it } from '@jest/globals';
import { storedEventContract } from '../../../test/support/events/stored-event.contract.js';
import { repositoryEvents, SiteRepositoryLinked } from './repository.events.js';
import { summarizeEvent } from './site-summary.js';

const linked = {
  url: 'https://example.org/a/b',
  branch: 'main',
  rootDirectory: 'site',
  plan: {},
  schedule: '0 3 * * *',
  skipUnchanged: true,
  linkId: 'lnk_01jd4v8k3mqg5t2x9w7z6y4r1p',
  memberId: 'mem_01jd4v8k3mqg5t2x9w7z6y4r1p',
};

describe('Events about the linked repository', () => {
  storedEventContract(repositoryEvents, {
    SiteRepositoryLinked: [linked],
    SiteRepositoryUnlinked: [{ linkId: linked.linkId }],
  });

  it.each([
    [linked, 'Linked to https://example.org/a/b, branch main, built on the schedule “0 3 * * *” (UTC)'],
    [{ ...linked, branch: null, schedule: null }, 'Linked to https://example.org/a/b'],
  ])('with the data %j are summarized in the history as %j', (data, summary) =>
    expect(summarizeEvent({ ...SiteRepositoryLinked(data), actor: { kind: 'user' } })).toBe(summary),
  );
});

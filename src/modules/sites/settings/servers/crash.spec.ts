import { describe, it } from '@jest/globals';
import { given } from '../../../../../test/support/events/given-when.js';
import { created, deployed } from '../../../../../test/support/events/site-examples.js';
import { SiteServerCrashed } from '../../../../events/site/server.events.js';
import { SiteDeleted } from '../../../../events/site/settings.events.js';
import { site } from '../../site/state/site.state.js';
import { decideServerCrash } from './crash.decide.js';

const crash = { deployId: 'dep_1', reason: 'It ended with exit code 1.' };

describe('A crash of a server', () => {
  it('a server crash is recorded in the history of the site', () =>
    given(site, created, deployed(1)).when(decideServerCrash, crash).records(SiteServerCrashed(crash)));

  it('a server crash is not recorded if the site has no such deploy', () =>
    given(site, created, deployed(1))
      .when(decideServerCrash, { ...crash, deployId: 'dep_9' })
      .recordsNothing());

  it('a server crash is not recorded if the site no longer exists', () =>
    given(site, created, deployed(1), SiteDeleted({})).when(decideServerCrash, crash).recordsNothing());
});

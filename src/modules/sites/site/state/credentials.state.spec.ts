import { describe, expect, it } from '@jest/globals';
import { partAfter } from '../../../../../test/support/events/given-when.js';
import { deployed } from '../../../../../test/support/events/site-examples.js';
import { ConnectorTokenIssued, ConnectorTokenRevoked } from '../../../../events/site/settings.events.js';
import type { SiteEvent } from '../../../../events/site/site.events.js';
import {
  AccessTokenIssued,
  AccessTokenRevoked,
  PublisherRemoved,
  PublisherTrusted,
} from '../../../../events/site/token.events.js';
import type { Actor } from '../../../../kernel/event-store.js';
import { evolveCredentials, noCredentials } from './credentials.state.js';

const annsSite = { ...noCredentials, members: { usr_a: { memberId: 'mem_a', role: 'owner' as const } } };
const folded = (...history: (SiteEvent & { readonly actor?: Actor })[]) =>
  partAfter(evolveCredentials, annsSite, ...history);

const connectorToken = (n: number) => ConnectorTokenIssued({ tokenId: `con_${n}`, name: `agent ${n}` });
const token = (n: number) =>
  AccessTokenIssued({ tokenId: `tok_${n}`, memberId: 'mem_a', role: 'editor', expiresAt: null });
const publisher = (n: number) => PublisherTrusted({ publisherId: `pub_${n}`, memberId: 'mem_a' });

describe('A site’s credentials', () => {
  it('a site’s credentials are those that were issued and not revoked', () => {
    expect(folded(token(1), token(2), AccessTokenRevoked({ tokenId: 'tok_1' })).tokens).toEqual([
      { tokenId: 'tok_2', memberId: 'mem_a' },
    ]);
    expect(folded(publisher(1), publisher(2), PublisherRemoved({ publisherId: 'pub_2' })).publishers).toEqual([
      { publisherId: 'pub_1', memberId: 'mem_a' },
    ]);
    const revoked = ConnectorTokenRevoked({ tokenId: 'con_1', name: 'agent 1' });
    expect(folded(connectorToken(1), connectorToken(2), revoked).connectorTokens).toMatchObject([{ tokenId: 'con_2' }]);
  });

  it('a connector token is tied to its creator’s membership, if the creator was a member', () => {
    const memberIdFor = (actor?: Actor) =>
      folded(actor ? { ...connectorToken(1), actor } : connectorToken(1)).connectorTokens[0]?.memberId;
    expect(memberIdFor({ kind: 'user', id: 'usr_a' })).toBe('mem_a');
    expect(memberIdFor({ kind: 'user', id: 'usr_b' })).toBeNull();
    expect(memberIdFor({ kind: 'user', id: 'constructor' })).toBeNull();
    expect(memberIdFor()).toBeNull();
  });

  it('other events do not change a site’s credentials', () =>
    expect(evolveCredentials(annsSite, deployed(1))).toBeNull());
});

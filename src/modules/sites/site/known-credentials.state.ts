import type { SiteEvent } from '../../../events/site/site.events.js';

/** Agents of the site's connector take work with it, as long as the membership that it depends on is an owner's. */
export type ConnectorToken = {
  readonly tokenId: string;
  readonly name: string;
  /** The membership of the person who created it; null if they were not a member. */
  readonly memberId: string | null;
};

/** A script acts on the site with it, as far as the membership goes that it stands on. */
export type KnownToken = { readonly tokenId: string; readonly memberId: string };

/** Jobs elsewhere get tokens by it, as far as the membership goes that it stands on. */
export type KnownPublisher = { readonly publisherId: string; readonly memberId: string };

/** What scripts, jobs elsewhere and agents act on the site with, the oldest first. */
export type KnownCredentials = {
  readonly connectorTokens: readonly ConnectorToken[];
  /** One whose time is over stays until it is revoked. */
  readonly tokens: readonly KnownToken[];
  readonly publishers: readonly KnownPublisher[];
};

type CredentialEvent = Extract<
  SiteEvent,
  { readonly type: `${'ConnectorToken' | 'AccessToken'}${'Issued' | 'Revoked'}` | `Publisher${'Trusted' | 'Removed'}` }
>;

export const noCredentials: KnownCredentials = { connectorTokens: [], tokens: [], publishers: [] };

/** @param memberId the membership of the event’s actor, if any */
export function evolveCredentials(
  known: KnownCredentials,
  event: CredentialEvent,
  memberId: string | null,
): Partial<KnownCredentials> {
  switch (event.type) {
    case 'ConnectorTokenIssued': {
      const { tokenId, name } = event.data;
      return { connectorTokens: [...known.connectorTokens, { tokenId, name, memberId }] };
    }
    case 'ConnectorTokenRevoked': {
      const { tokenId: revoked } = event.data;
      return { connectorTokens: known.connectorTokens.filter(({ tokenId }) => tokenId !== revoked) };
    }
    case 'AccessTokenIssued': {
      const { tokenId, memberId } = event.data;
      return { tokens: [...known.tokens, { tokenId, memberId }] };
    }
    case 'AccessTokenRevoked': {
      const { tokenId: revoked } = event.data;
      return { tokens: known.tokens.filter(({ tokenId }) => tokenId !== revoked) };
    }
    case 'PublisherTrusted':
      return { publishers: [...known.publishers, event.data] };
    case 'PublisherRemoved': {
      const { publisherId: removed } = event.data;
      return { publishers: known.publishers.filter(({ publisherId }) => publisherId !== removed) };
    }
  }
}

import type { SiteEvent } from '../../../../events/site/site.events.js';
import type { Actor } from '../../../../kernel/event-store.js';
import type { PeopleState } from './people.state.js';

/** A token with which connector agents can poll for work while the member who created it is an owner. */
export type ConnectorTokenEntry = {
  readonly tokenId: string;
  readonly name: string;
  /** Membership of the user who created the token, or null if they were not a member. */
  readonly memberId: string | null;
};

/** A token with which a script can act on the site, with at most the rights of the member who created it. */
export type KnownToken = { readonly tokenId: string; readonly memberId: string };

/** A publisher, which lets CI jobs get tokens with at most the rights of the member who registered it. */
export type KnownPublisher = { readonly publisherId: string; readonly memberId: string };

/** Credentials that scripts, CI jobs and agents use on the site, oldest first. */
export type CredentialsState = {
  readonly connectorTokens: readonly ConnectorTokenEntry[];
  /** Expired tokens remain listed until they are revoked. */
  readonly tokens: readonly KnownToken[];
  readonly publishers: readonly KnownPublisher[];
};

export const noCredentials: CredentialsState = { connectorTokens: [], tokens: [], publishers: [] };

export const credentialsVersion = 1;

/**
 * Applies an event to the credentials. Only recorded events have an actor: an event that a rule has just proposed has
 * none yet.
 */
export function evolveCredentials(
  state: CredentialsState & Pick<PeopleState, 'members'>,
  event: SiteEvent & { readonly actor?: Actor },
): Partial<CredentialsState> | null {
  switch (event.type) {
    case 'ConnectorTokenIssued': {
      const { tokenId, name } = event.data;
      const memberId = memberIdOf(state, event.actor);
      return { connectorTokens: [...state.connectorTokens, { tokenId, name, memberId }] };
    }
    case 'ConnectorTokenRevoked': {
      const { tokenId: revoked } = event.data;
      return { connectorTokens: state.connectorTokens.filter(({ tokenId }) => tokenId !== revoked) };
    }
    case 'AccessTokenIssued': {
      const { tokenId, memberId } = event.data;
      return { tokens: [...state.tokens, { tokenId, memberId }] };
    }
    case 'AccessTokenRevoked': {
      const { tokenId: revoked } = event.data;
      return { tokens: state.tokens.filter(({ tokenId }) => tokenId !== revoked) };
    }
    case 'PublisherTrusted':
      return { publishers: [...state.publishers, event.data] };
    case 'PublisherRemoved': {
      const { publisherId: removed } = event.data;
      return { publishers: state.publishers.filter(({ publisherId }) => publisherId !== removed) };
    }
    default:
      return null;
  }
}

const memberIdOf = ({ members }: Pick<PeopleState, 'members'>, actor: Actor | undefined): string | null =>
  actor?.id !== undefined && Object.hasOwn(members, actor.id) ? (members[actor.id]?.memberId ?? null) : null;

import { type Provider } from '@nestjs/common';
import { OAuthArtifacts } from '../../accounts/grants/oauth-artifacts.js';
import { OAuthClients } from '../../accounts/grants/oauth-clients.js';
import { OAuthGrants } from '../../accounts/grants/oauth-grants.js';
import { People } from '../../accounts/people/people.js';
import { ConnectorTokenStore } from '../../accounts/tokens/connector-tokens.js';
import { AuthorizationServerWhenUsed } from '../../adapters/authorization/when-used.js';
import { RandomIds } from '../../adapters/random-ids.js';
import { ServiceUrls } from '../../edge/http/api/service-urls.js';
import { Authentication } from '../../edge/http/auth/authentication.js';
import { KnownAgents } from '../../edge/http/auth/known-agents.js';
import { LinkTokens } from '../../edge/http/auth/links/link-tokens.js';
import { MagicLink } from '../../edge/http/auth/links/magic-link.js';
import { LoginCompletion } from '../../edge/http/auth/login-completion.js';
import { Operator } from '../../edge/http/auth/operator.js';
import { SessionStart } from '../../edge/http/auth/session-start.js';
import { SocketAuthentication } from '../../edge/http/auth/socket-authentication.js';
import { AccessTokenStrategy } from '../../edge/http/auth/strategies/access-token-strategy.js';
import { EditTokenStrategy } from '../../edge/http/auth/strategies/edit-token-strategy.js';
import { ProbeToken } from '../../edge/http/auth/strategies/probe-token.js';
import { SessionStrategy } from '../../edge/http/auth/strategies/session-strategy.js';
import { UploadTokens } from '../../edge/http/auth/upload-tokens.js';
import { ClientAddress, computeNetwork } from '../../edge/http/limits/client-address.js';
import { Idempotency } from '../../edge/http/limits/idempotency.js';
import { LIVE_PATH, SocketAuthenticator } from '../../edge/live/live.gateway.js';
import { LiveStreamServer } from '../../edge/live/live-streams.js';
import { PositionAnnouncingSource } from '../../edge/live/position-announcing-source.js';
import { EventStore } from '../../kernel/event-store.js';
import { Ids } from '../../kernel/ids.js';
import { AuthorizationServer } from '../../kernel/ports/outside/authorization-server.js';
import { WakeUps } from '../../kernel/ports/wake-ups.js';
import { WritePosition } from '../../kernel/positions/write-position.js';
import { AccessSeals } from '../../modules/serving/access/access-cookie-seals.js';
import { SiteAccess } from '../../modules/sites/api/site-access.js';
import { UploadTickets } from '../../modules/sites/publish/prepare-upload/upload-tickets.js';
import { provide } from '../../nest/provide.js';
import { ProcessContext } from '../context.js';
import { createAuthorizationServer } from '../engines.js';

/**
 * Maximum numbers of live connections and of their streams: per client address, per session and in total. UNCOUNTED
 * applies if rate limits are off.
 */
const CONNECTIONS = { address: 200, session: 50, all: 20_000 };
const UNCOUNTED = { address: 20_000, session: 20_000, all: 20_000 };

export const edgeProviders = ({ settings, rootKey, ...context }: ProcessContext): Provider[] => [
  { provide: Ids, useClass: RandomIds },
  { provide: ServiceUrls, useValue: new ServiceUrls(settings) },
  { provide: ClientAddress, useValue: new ClientAddress(settings.trustedProxies) },
  { provide: ProbeToken, useValue: new ProbeToken(rootKey) },
  { provide: Operator, useValue: new Operator(settings.adminToken) },
  { provide: LinkTokens, useValue: new LinkTokens(rootKey) },
  { provide: UploadTickets, useValue: new UploadTickets(rootKey) },
  { provide: UploadTokens, useValue: new UploadTokens(rootKey) },
  { provide: AccessSeals, useValue: new AccessSeals(rootKey) },
  SessionStrategy,
  EditTokenStrategy,
  AccessTokenStrategy,
  provide(
    KnownAgents,
    [ConnectorTokenStore, SiteAccess, WakeUps],
    (tokens, sites, wakeUps) =>
      new KnownAgents(tokens, (siteId, tokenId) => sites.canUseConnectorToken(siteId, tokenId), wakeUps),
  ),
  Authentication,
  Idempotency,
  SessionStart,
  MagicLink,
  LoginCompletion,
  provide(
    AuthorizationServer,
    [OAuthGrants, OAuthArtifacts, OAuthClients, People, Ids],
    (grants, artifacts, clients, people, ids) =>
      new AuthorizationServerWhenUsed(() =>
        createAuthorizationServer({ settings, rootKey, ...context }, { grants, artifacts, clients, people, ids }),
      ),
  ),
  provide(
    SocketAuthenticator,
    [Authentication, Ids],
    (authentication, ids) => new SocketAuthentication(authentication, ids, settings.baseUrl, LIVE_PATH),
  ),
  provide(
    LiveStreamServer,
    [EventStore, ClientAddress, WritePosition],
    (store, clientAddress, writePosition) =>
      new LiveStreamServer({
        store: new PositionAnnouncingSource(store, (position) => writePosition.advanceTo(position)),
        addressOf: (request) => computeNetwork(clientAddress.addressOf(request)),
        limits: settings.rateLimits ? CONNECTIONS : UNCOUNTED,
      }),
  ),
];

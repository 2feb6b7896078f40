import { RandomIds } from '../../http/api/random-ids.js';
import { ServiceUrls } from '../../http/api/service-urls.js';
import { Authentication } from '../../http/auth/authentication.js';
import { EditTokenStrategy } from '../../http/auth/edit-token-strategy.js';
import { LinkTokens } from '../../http/auth/links/link-tokens.js';
import { MagicLink } from '../../http/auth/links/magic-link.js';
import { LoginCompletion } from '../../http/auth/login-completion.js';
import { Operator } from '../../http/auth/operator.js';
import { SessionStart } from '../../http/auth/session-start.js';
import { SessionStrategy } from '../../http/auth/session-strategy.js';
import { SocketAuthentication } from '../../http/auth/socket-authentication.js';
import { ClientAddress, networkOf } from '../../http/limits/client-address.js';
import { Idempotency } from '../../http/limits/idempotency.js';
import { RateLimits } from '../../http/limits/rate-limits.js';
import { EventStore } from '../../kernel/event-store.js';
import { Ids } from '../../kernel/ids.js';
import { ClusterSignal } from '../../kernel/ports/cluster-signal.js';
import { LIVE_PATH, SocketAuthenticator } from '../../live/live.gateway.js';
import { LiveStreams } from '../../live/live-streams.js';
import { AccessSeals } from '../../modules/serving/access/access-cookie-seals.js';
import { rateLimitsOf } from '../engines.js';
import type { ProcessContext } from '../process-context.js';

/** Live connections at once, and streams on them. An operator without limits has them from his own machine, and no stranger. */
const CONNECTIONS = { address: 200, session: 50, all: 20_000 };
const UNCOUNTED = { address: 20_000, session: 20_000, all: 20_000 };

/** Who asks, from where, how often, and who goes on listening. */
export const edgePorts = ({ settings, rootKey }: ProcessContext) => [
  { provide: Ids, useClass: RandomIds },
  { provide: ServiceUrls, useValue: new ServiceUrls(settings) },
  { provide: ClientAddress, useValue: new ClientAddress(settings.trustedProxies) },
  { provide: Operator, useValue: new Operator(settings.adminToken) },
  { provide: LinkTokens, useValue: new LinkTokens(rootKey) },
  { provide: AccessSeals, useValue: new AccessSeals(rootKey) },
  SessionStrategy,
  EditTokenStrategy,
  Authentication,
  Idempotency,
  SessionStart,
  MagicLink,
  LoginCompletion,
  {
    provide: RateLimits,
    inject: [ClusterSignal],
    useFactory: (clusterSignal: ClusterSignal) => rateLimitsOf(settings, rootKey, clusterSignal),
  },
  {
    provide: SocketAuthenticator,
    inject: [Authentication, Ids],
    useFactory: (authentication: Authentication, ids: Ids) =>
      new SocketAuthentication(authentication, ids, settings.baseUrl, LIVE_PATH),
  },
  {
    provide: LiveStreams,
    inject: [EventStore, ClientAddress],
    useFactory: (store: EventStore, clientAddress: ClientAddress) =>
      new LiveStreams({
        store,
        addressOf: (request) => networkOf(clientAddress.addressOf(request)),
        limits: settings.rateLimits ? CONNECTIONS : UNCOUNTED,
      }),
  },
];

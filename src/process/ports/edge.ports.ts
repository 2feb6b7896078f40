import { RandomIds } from '../../http/api/random-ids.js';
import { Addresses } from '../../http/api/service-urls.js';
import { Callers } from '../../http/auth/authentication.js';
import { EditTokenStrategy } from '../../http/auth/edit-token-strategy.js';
import { LinkTokens } from '../../http/auth/links/link-tokens.js';
import { MailedLinkDoor } from '../../http/auth/links/magic-link.js';
import { Arrival } from '../../http/auth/login-completion.js';
import { Operator } from '../../http/auth/operator.js';
import { SigningIn } from '../../http/auth/session-start.js';
import { SessionStrategy } from '../../http/auth/session-strategy.js';
import { WebSocketCallers } from '../../http/auth/socket-authentication.js';
import { networkOf, Peers } from '../../http/limits/client-address.js';
import { Once } from '../../http/limits/idempotency.js';
import { RateLimits } from '../../http/limits/rate-limits.js';
import { EventStore } from '../../kernel/event-store.js';
import { Ids } from '../../kernel/ids.js';
import { OtherProcesses } from '../../kernel/ports/cluster-signal.js';
import { LIVE_PATH, SocketCallers } from '../../live/live.gateway.js';
import { LiveStreams } from '../../live/live-streams.js';
import { VisitorSeals } from '../../modules/serving/access/access-cookie-seals.js';
import { rateLimitsOf } from '../engines.js';
import type { Surroundings } from '../process-context.js';

/** Live connections at once, and streams on them. An operator without limits has them from his own machine, and no stranger. */
const CONNECTIONS = { address: 200, session: 50, all: 20_000 };
const UNCOUNTED = { address: 20_000, session: 20_000, all: 20_000 };

/** Who asks, from where, how often, and who goes on listening. */
export const edgePorts = ({ settings, rootKey }: Surroundings) => [
  { provide: Ids, useClass: RandomIds },
  { provide: Addresses, useValue: new Addresses(settings) },
  { provide: Peers, useValue: new Peers(settings.trustedProxies) },
  { provide: Operator, useValue: new Operator(settings.adminToken) },
  { provide: LinkTokens, useValue: new LinkTokens(rootKey) },
  { provide: VisitorSeals, useValue: new VisitorSeals(rootKey) },
  SessionStrategy,
  EditTokenStrategy,
  Callers,
  Once,
  SigningIn,
  MailedLinkDoor,
  Arrival,
  {
    provide: RateLimits,
    inject: [OtherProcesses],
    useFactory: (others: OtherProcesses) => rateLimitsOf(settings, rootKey, others),
  },
  {
    provide: SocketCallers,
    inject: [Callers, Ids],
    useFactory: (callers: Callers, ids: Ids) => new WebSocketCallers(callers, ids, settings.baseUrl, LIVE_PATH),
  },
  {
    provide: LiveStreams,
    inject: [EventStore, Peers],
    useFactory: (store: EventStore, peers: Peers) =>
      new LiveStreams(store, {
        addressOf: (request) => networkOf(peers.addressOf(request)),
        most: settings.rateLimits ? CONNECTIONS : UNCOUNTED,
      }),
  },
];

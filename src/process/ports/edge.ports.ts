import { Addresses } from '../../edge/addresses.js';
import { Callers } from '../../edge/callers.js';
import { Once } from '../../edge/once.js';
import { Operator } from '../../edge/operator.js';
import { networkOf, Peers } from '../../edge/peers.js';
import { RandomIds } from '../../edge/random-ids.js';
import { RateLimits } from '../../edge/rate-limits.js';
import { Arrival } from '../../edge/sign-in/arrival.js';
import { EditTokenStrategy } from '../../edge/sign-in/edit-token-strategy.js';
import { LinkTokens } from '../../edge/sign-in/link-tokens.js';
import { MailedLinkDoor } from '../../edge/sign-in/mailed-link-door.js';
import { SessionStrategy } from '../../edge/sign-in/session-strategy.js';
import { SigningIn } from '../../edge/sign-in/signing-in.js';
import { WebSocketCallers } from '../../edge/socket-callers.js';
import { EventStore } from '../../kernel/event-store.js';
import { Ids } from '../../kernel/ids.js';
import { OtherProcesses } from '../../kernel/other-processes.js';
import { LIVE_PATH, SocketCallers } from '../../live/live.gateway.js';
import { LiveStreams } from '../../live/live-streams.js';
import { VisitorSeals } from '../../modules/serving/access/visitor-seals.js';
import { rateLimitsOf } from '../engines.js';
import type { Surroundings } from '../surroundings.js';

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

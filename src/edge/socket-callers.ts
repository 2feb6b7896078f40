import type { IncomingMessage } from 'node:http';
import type { Caller } from '../kernel/caller.js';
import type { Ids } from '../kernel/ids.js';
import type { Refusal } from '../kernel/refusal.js';
import type { Addresses } from './addresses.js';
import { callerOf } from './caller.js';
import { hostsOf } from './hosts.js';
import { problemBody, unexpectedBody } from './send-problem.js';

/** Who is behind a WebSocket, and how it is told no. */
export class WebSocketCallers {
  readonly #destination: ReturnType<typeof hostsOf>;

  constructor(
    private readonly addresses: Addresses,
    private readonly ids: Ids,
    /** Where they connect. */
    private readonly path: string,
  ) {
    this.#destination = hostsOf(addresses);
  }

  /** By the headers of the handshake. A page of another origin brings its visitor’s cookies without asking: it is nobody. */
  of({ headers }: IncomingMessage): Caller {
    return this.#isOwn(headers.origin) ? callerOf({ headers }) : callerOf({ headers: {} });
  }

  with(token: string): Caller {
    return callerOf({ headers: { 'x-svc-edit-token': token } });
  }

  problemOf(refusal: Refusal | null): object {
    const met = { baseUrl: this.addresses.baseUrl, instance: this.path, requestId: this.ids.make('req') };
    return refusal ? problemBody(refusal, met) : unexpectedBody(met);
  }

  /** No origin: not a browser. */
  #isOwn(origin: string | undefined): boolean {
    if (origin === undefined) return true;
    const from = URL.parse(origin);
    const base = new URL(this.addresses.baseUrl);
    return from?.protocol === base.protocol && this.#destination(from.host).kind === 'service';
  }
}

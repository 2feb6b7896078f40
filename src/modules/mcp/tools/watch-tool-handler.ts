import { Injectable } from '@nestjs/common';
import { hashSecret } from '../../../edge/http/auth/secrets.js';
import type { InnerCaller } from '../../../edge/http/inner/inner-caller.js';
import { computeNetwork } from '../../../edge/http/limits/client-address.js';
import { buildShownEvents } from '../../../edge/live/frames/frame.js';
import type { LiveStream } from '../../../edge/live/live-stream.js';
import { LiveStreamServer } from '../../../edge/live/live-streams.js';
import type { Caller } from '../../../kernel/command-context.js';
import { EventStore, type Recorded } from '../../../kernel/event-store.js';
import { refuseInvalid } from '../../../kernel/faults/schema-faults.js';
import { Refusal } from '../../../kernel/refusal.js';
import type { WatchedStream } from '../../../nest/mcp-tool.js';
import type { PreparesToStop } from '../../../nest/stopping.js';
import { TokenGrants } from '../../oauth/api/token-grants.js';
import type { Arguments } from './tool-request.js';

/** Reports progress to the client. `progress` increases with each report. */
export type Listener = (progress: number, line: string) => Promise<void>;

/** Default time to wait for the end of a stream. Many clients give up after a minute without output. */
const QUIET_SECONDS = 50;
const MAX_SECONDS = 600;

/** `RIGHTS_MS` is the interval between access checks, `TOLD_MS` the minimum interval between progress reports. */
const RIGHTS_MS = 5_000;
const TOLD_MS = 250;

type WaitingCall = {
  readonly caller: InnerCaller;
  readonly listener: Listener | null;
  readonly signal: AbortSignal;
};

/**
 * Lets tool calls wait for the end of a stream. Waiting calls count towards the live-stream limits of their IP address
 * and user.
 */
@Injectable()
export class WatchToolHandler implements PreparesToStop {
  readonly #stopping = new AbortController();

  constructor(
    private readonly store: EventStore,
    private readonly live: LiveStreamServer,
    private readonly grants: TokenGrants,
  ) {}

  prepareToStop(): void {
    this.#stopping.abort();
  }

  /**
   * Waits until the stream ends, the caller loses access, the time limit passes, or `signal` aborts. Refuses with
   * `unauthenticated` (revoked grant), `quota_exceeded` (too many waiting calls) or `invalid_request` (invalid time
   * limit).
   */
  async untilEnd({ streamOf, tell }: WatchedStream, given: Arguments, watched: WaitingCall): Promise<void> {
    const { caller, listener, signal } = watched;
    const seconds = secondsIn(given) ?? (listener ? MAX_SECONDS : QUIET_SECONDS);
    const who = callerIn(caller, given);
    const stream = await this.live.resolver.find(streamOf(given), async () => {
      if (caller.grant) await this.grants.assertLasts(caller.grant.grantId);
      return who;
    });
    // The stream of a site's log never ends, so no tool waits for it.
    if (!('finalTypes' in stream)) throw new Error(`${stream.stream} never ends, so it can’t be waited for.`);
    const giveBack = this.live.streamQuotaOfAddress(computeNetwork(caller.address))(caller.grant?.grantId ?? null);
    const over = new AbortController();
    let revoked: Refusal | null = null;
    const recheckRights = () => {
      stream.assertCanWatch().catch((error: unknown) => {
        if (!(error instanceof Refusal)) return;
        if (error.code === 'unauthenticated') revoked = error;
        over.abort();
      });
    };
    const rights = setInterval(recheckRights, RIGHTS_MS);
    const time = setTimeout(() => over.abort(), seconds * 1_000);
    const ends = AbortSignal.any([signal, over.signal, this.#stopping.signal]);
    void this.live.watchRights(stream, ends, recheckRights);
    try {
      await this.#follow(stream, tell, listener, ends);
      // End the call if the app's grant was revoked during the wait. Otherwise, the next request would be made on
      // behalf of an app that has lost its access.
      if (revoked) throw revoked;
    } finally {
      over.abort();
      clearInterval(rights);
      clearTimeout(time);
      giveBack();
    }
  }

  async #follow(stream: LiveStream, tell: WatchedStream['tell'], listener: Listener | null, signal: AbortSignal) {
    let toldAt = 0;
    for await (const batch of this.store.watch(stream.stream, 0, signal)) {
      const line = listener && performance.now() - toldAt >= TOLD_MS ? await lineOf(batch, stream, tell) : null;
      if (listener && line !== null) {
        toldAt = performance.now();
        await listener(batch.at(-1)?.revision ?? 0, line);
      }
      if (batch.some(({ type }) => stream.finalTypes.has(type))) return;
    }
  }
}

/** Returns a line of text about the newest event of the batch that can be described, or null if there is none. */
async function lineOf(
  batch: readonly Recorded[],
  stream: LiveStream,
  tell: WatchedStream['tell'],
): Promise<string | null> {
  for (const shown of (await buildShownEvents(stream, batch)).toReversed()) {
    const line = shown && tell(shown.event, shown.data as Readonly<Record<string, unknown>>);
    if (line) return line.slice(0, 500);
  }
  return null;
}

const callerIn = ({ grant }: InnerCaller, { editToken }: Arguments): Caller => ({
  userId: null,
  ...grant?.caller,
  editTokenHash: typeof editToken === 'string' ? hashSecret(editToken) : null,
});

function secondsIn({ waitSeconds }: Arguments): number | null {
  if (waitSeconds === undefined) return null;
  if (Number.isInteger(waitSeconds) && Number(waitSeconds) >= 1 && Number(waitSeconds) <= MAX_SECONDS)
    return Number(waitSeconds);
  const message = `must be an integer from 1 to ${MAX_SECONDS}`;
  return refuseInvalid({ path: 'waitSeconds', message });
}

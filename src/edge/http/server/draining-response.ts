import { type IncomingMessage, ServerResponse } from 'node:http';
import { hasBody } from './header-field.js';
import { queuedBytes } from './queued-bytes.js';

/** The rest of a refused body is read for at most this long (docs/interface/limits.md, "Connection limits"). */
const DRAIN_MS = 5_000;

/**
 * A response that does not end before its request. If the response is complete earlier, it is sent immediately, the
 * rest of the request body is discarded for up to five seconds, and the connection is closed. Unread bytes would reset
 * the connection, and a client that sends everything before it reads would lose the response (RFC 9112 section 9.6).
 */
export class DrainingResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  #written = 0;
  #sent = 0;

  /** The number of content bytes that were written. All of them were sent if the response has finished. */
  get writtenBytes(): number {
    return this.#written;
  }

  /** How many of `writtenBytes` are known to have been sent, even if the response was cut off. */
  get sentBytes(): number {
    return this.#sent;
  }

  override write(first: unknown, second?: unknown, third?: unknown): boolean {
    const done = [second, third].find((each) => typeof each === 'function') as
      | ((fault?: Error | null) => void)
      | undefined;
    const encoding = typeof second === 'string' ? (second as BufferEncoding) : 'utf8';
    const length = lengthOf(first, encoding);
    const goesOn = super.write(first, encoding, (fault) => {
      if (!fault) this.#sent += length;
      done?.(fault);
    });
    this.#written += length;
    return goesOn;
  }

  override end(first?: unknown, second?: unknown, third?: unknown): this {
    const done = [first, second, third].find((each) => typeof each === 'function') as (() => void) | undefined;
    const content = typeof first === 'function' ? undefined : first;
    const encoding = typeof second === 'string' ? (second as BufferEncoding) : 'utf8';
    if (!isReceivingBody(this.req)) {
      super.end(content, encoding, done);
      // Node omits the content for HEAD, 204 and 304.
      if (Reflect.get(this, '_hasBody') === false) this.#written = 0;
      else this.#written += lengthOf(content, encoding);
      if (this.socket) this.#sent = Math.max(this.#sent, this.#written - queuedBytes(this.socket));
      return this;
    }

    if (content) this.write(content, encoding);
    else this.flushHeaders();
    void this.#endAfterRequest(done);
    return this;
  }

  async #endAfterRequest(done: (() => void) | undefined): Promise<void> {
    const isOver = await readToEnd(this.req);
    super.end(() => {
      done?.();
      if (!isOver) this.req.destroy();
    });
  }
}

const lengthOf = (content: unknown, encoding: BufferEncoding): number => {
  if (typeof content === 'string') return Buffer.byteLength(content, encoding);
  return content instanceof Uint8Array ? content.length : 0;
};

const isReceivingBody = ({ complete, destroyed, rawHeaders }: IncomingMessage) =>
  !complete && !destroyed && hasBody(rawHeaders);

const discard = () => undefined;

/** Reads and discards the rest of a body. Returns false if the request has not ended after `DRAIN_MS`. */
function readToEnd(request: IncomingMessage): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), DRAIN_MS);
    const over = () => {
      clearTimeout(timer);
      resolve(true);
    };
    request.once('end', over).once('close', over);
    // A reader that stopped midway leaves its `readable` listener, which prevents the stream from flowing.
    request.removeAllListeners('readable').on('data', discard).resume();
  });
}

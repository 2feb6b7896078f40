import { type IncomingMessage, ServerResponse } from 'node:http';
import { announcesBody } from './header-field.js';

/** How long the rest of a refused body is read (docs/interface.md, "Limits of a connection"), in milliseconds. */
const REST_MS = 5_000;

/**
 * Ends only when the request has. An answer that comes before the end of a body is sent at once, and the rest of the
 * body is read and thrown away, for five seconds at most; then the connection closes. Closed at once, with bytes
 * unread, it would be reset, and a client that writes all before it reads would lose the answer (RFC 9112, 9.6).
 */
export class DrainingResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  override end(first?: unknown, second?: unknown, third?: unknown): this {
    const done = [first, second, third].find((each) => typeof each === 'function') as (() => void) | undefined;
    const content = typeof first === 'function' ? undefined : first;
    const encoding = typeof second === 'string' ? (second as BufferEncoding) : 'utf8';
    if (!isUnderWay(this.req)) return super.end(content, encoding, done);

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

const isUnderWay = ({ complete, destroyed, rawHeaders }: IncomingMessage) =>
  !complete && !destroyed && announcesBody(rawHeaders);

const thrownAway = () => undefined;

/** Whether the end came in time. */
function readToEnd(request: IncomingMessage): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), REST_MS);
    const over = () => {
      clearTimeout(timer);
      resolve(true);
    };
    request.once('end', over).once('close', over);
    // Whoever read it and left in the middle would keep it from flowing.
    request.removeAllListeners('readable').on('data', thrownAway).resume();
  });
}

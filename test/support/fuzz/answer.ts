import { Agent, request as ask } from 'node:http';
import type { FuzzedRequest } from './described-requests.js';

/** Time limit for a response. Streams are cut off after this time. */
const LONGEST_MS = 15_000;
const QUIET_MS = 150;

export type Answered = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed body if it is JSON. */
  readonly body: unknown;
  readonly text: string;
};

const connections = new Agent({ keepAlive: true, maxSockets: 4 });

/**
 * Sends a request exactly as given. Rejects if there is no response in time. A stream counts as complete when nothing
 * has arrived for `quietMs`.
 */
export function answerTo(
  { method, url, headers, body }: Omit<FuzzedRequest, 'actor' | 'isDescribed'>,
  port: number,
  quietMs = QUIET_MS,
): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const sent = ask(
      { host: '127.0.0.1', port, method, path: url, agent: connections, headers: withLength(headers, method, body) },
      (answer) => {
        // A text/plain response can be a stream as well.
        const isStream = /event-stream|ndjson|text\/plain/.test(answer.headers['content-type'] ?? '');
        const chunks: Buffer[] = [];
        const end = () => {
          clearTimeout(late);
          clearTimeout(quiet);
          const text = Buffer.concat(chunks).toString();
          const named = Object.entries(answer.headers).map(([name, value]): [string, string] => [name, `${value}`]);
          resolve({
            status: answer.statusCode ?? 0,
            headers: Object.fromEntries(named),
            text,
            body: parsed(answer.headers['content-type'], text),
          });
          if (isStream) answer.destroy();
        };
        let quiet = isStream ? setTimeout(end, quietMs) : undefined;
        answer.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          if (!isStream) return;
          clearTimeout(quiet);
          quiet = setTimeout(end, quietMs);
        });
        answer.on('end', end);
        answer.on('error', () => undefined);
      },
    );
    const late = setTimeout(() => {
      reject(new Error(`no answer in ${LONGEST_MS / 1_000} s`));
      sent.destroy();
    }, LONGEST_MS);
    sent.on('error', (error) => {
      clearTimeout(late);
      reject(error);
    });
    sent.end(body);
  });
}

const withLength = (headers: Readonly<Record<string, string>>, method: string, body: Buffer) =>
  body.length > 0 || ['POST', 'PUT', 'PATCH'].includes(method)
    ? { ...headers, 'content-length': String(body.length) }
    : headers;

function parsed(type: string | undefined, text: string): unknown {
  if (!/[/+]json/.test(type ?? '')) return {};
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

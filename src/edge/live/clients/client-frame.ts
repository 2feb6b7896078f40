/** A message that a client sends over a WebSocket. */
export type ClientFrame =
  | { readonly op: 'subscribe'; readonly stream: string; readonly after: number }
  | { readonly op: 'unsubscribe'; readonly stream: string }
  | { readonly op: 'auth'; readonly token: string }
  /** A malformed message. `path` is the invalid field, or empty if the whole message is invalid. */
  | { readonly op: 'unclear'; readonly path: string; readonly message: string };

/** Maximum length of stream names and tokens, in characters. */
const MAX_CHARACTERS = 256;

/** Parses a client's message. Never throws: a malformed message becomes `unclear`. */
export function readFrame(received: unknown): ClientFrame {
  if (typeof received !== 'string') return unclear('', 'must be a text message');
  const frame = parsed(received);
  if (frame === null) return unclear('', 'must be a JSON object');

  const { op, stream, after = 0, token, ...rest } = frame;
  const unknown = Object.keys(rest)[0];
  if (unknown !== undefined) return unclear(unknown.slice(0, MAX_CHARACTERS), 'is not a known field');
  if (op === 'auth')
    return isText(token) ? { op, token } : unclear('token', `must be a token of at most ${MAX_CHARACTERS} characters`);
  if (op !== 'subscribe' && op !== 'unsubscribe') return unclear('op', 'must be subscribe, unsubscribe or auth');
  if (!isText(stream)) return unclear('stream', `must be a stream name of at most ${MAX_CHARACTERS} characters`);
  if (op === 'unsubscribe') return { op, stream };
  const from = typeof after === 'string' && /^\d{1,15}$/.test(after) ? Number(after) : after;
  return isRevision(from)
    ? { op, stream, after: from }
    : unclear('after', 'must be a revision (a non-negative integer)');
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}

const isText = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= MAX_CHARACTERS;

const isRevision = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;

const unclear = (path: string, message: string): ClientFrame => ({ op: 'unclear', path, message });

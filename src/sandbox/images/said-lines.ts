/** A message of the engine about a running request (Docker Engine API, “Build an image”). */
export type Said = {
  readonly stream?: string;
  readonly error?: string;
  /** Exit code of a failed command, if the engine reports it. */
  readonly exitCode?: number;
};

/** Engines do not send longer messages. Longer ones are cut off. */
const LONGEST = 1_048_576;

/** Reads one JSON object per line as they arrive. Other lines are skipped. */
export async function* saidLines(from: AsyncIterable<Buffer | string>): AsyncGenerator<Said> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of from) {
    text += typeof piece === 'string' ? piece : decoder.decode(piece, { stream: true });
    if (text.length > LONGEST && !text.includes('\n')) text = '';
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n')) {
      const said = saidIn(text.slice(0, end));
      text = text.slice(end + 1);
      if (said) yield said;
    }
  }
  const said = saidIn(text);
  if (said) yield said;
}

function saidIn(line: string): Said | null {
  if (line.trim() === '') return null;
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value !== 'object' || value === null) return null;
    const textOf = (name: string) => {
      const member: unknown = Reflect.get(value, name);
      return typeof member === 'string' ? { [name]: member } : {};
    };
    return { ...textOf('stream'), ...textOf('error'), ...exitCodeIn(value) };
  } catch {
    return null;
  }
}

/** Docker has a member for the exit code. Podman only has it at the end of its message. */
function exitCodeIn(value: object) {
  const detail: unknown = Reflect.get(value, 'errorDetail');
  if (typeof detail !== 'object' || detail === null) return {};
  const code: unknown = Reflect.get(detail, 'code');
  const [, inWords] = /exit status (\d{1,3})\s*$/.exec(String(Reflect.get(detail, 'message'))) ?? [];
  const exitCode = typeof code === 'number' ? code : Number(inWords);
  return Number.isInteger(exitCode) ? { exitCode } : {};
}

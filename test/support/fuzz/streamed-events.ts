export type StreamedEvent = { readonly id?: number; readonly event: string; readonly data: unknown };

/**
 * Returns the events of a stream as /openapi.json describes them, with JSON as data and a number as the ID. Leaves out
 * an incomplete last event. Throws if a line is malformed.
 */
export const streamedEvents = (type: string, text: string): readonly StreamedEvent[] =>
  type === 'text/event-stream' ? ofEventStream(text) : ofLines(text);

const whole = (text: string, end: string) => text.slice(0, text.lastIndexOf(end) + end.length);

const ofLines = (text: string): readonly StreamedEvent[] =>
  whole(text, '\n')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

/** Parses an event stream as browsers do (HTML standard, 9.2.6), but supports only the fields that the service uses. */
function ofEventStream(text: string): readonly StreamedEvent[] {
  return whole(text, '\n\n')
    .split('\n\n')
    .flatMap((block) => {
      const fields = new Map(
        block
          .split('\n')
          .filter((line) => line !== '' && !line.startsWith(':'))
          .map((line) => fieldOf(line)),
      );
      const id = fields.get('id');
      const data = fields.get('data');
      if (data === undefined) return [];
      return [{ ...(id && { id: Number(id) }), event: fields.get('event') ?? 'message', data: JSON.parse(data) }];
    });
}

function fieldOf(line: string): [string, string] {
  const [, name = '', value = ''] = /^(id|event|data|retry):(?: (.*))?$/.exec(line) ?? [];
  if (name === '') throw new Error(`no line of a stream: ${line}`);
  return [name, value];
}

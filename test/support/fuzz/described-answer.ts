import type { Described, Judged, OpenApiChecker, Schema } from '../service/openapi-checker.js';
import { streamedEvents } from './streamed-events.js';

/**
 * Validates each event of a stream against its description, and returns the number of events. Throws if an event does
 * not match.
 */
export function judgedEvents(checker: OpenApiChecker, described: Described, { headers, text }: Judged): number {
  const type = headers['content-type']?.split(';', 1)[0] ?? '';
  const schema = described.content?.[type]?.schema?.contentSchema as Schema | undefined;
  if (!schema) return 0;
  const events = streamedEvents(type, text);
  for (const event of events) {
    const fault = checker.faultOf(schema, event);
    if (fault) throw new Error(`its event ${JSON.stringify(event).slice(0, 300)}: ${fault}`);
  }
  return events.length;
}

/**
 * Returns the first difference between the headers of a response and their description, or null. The description must
 * contain each header that scripts of any origin may read.
 */
export function faultOfHead(checker: OpenApiChecker, described: Described, { headers }: Judged): string | null {
  const known = checker.headersOf(described);
  for (const [name, { required = false, schema = {} }] of known) {
    const sent = headers[name];
    if (sent === undefined) {
      if (required) return `its header ${name} is missing`;
      continue;
    }
    const value = schema.type === 'integer' && /^\d+$/.test(sent) ? Number(sent) : sent;
    const fault = checker.faultOf(schema, value);
    if (fault) return `its header ${name}: ${sent}, ${fault}`;
  }
  const read = [...(headers['access-control-expose-headers'] ?? '').split(', '), 'ratelimit-policy'];
  const unknown = read.find((name) => name in headers && !known.has(name));
  return unknown === undefined ? null : `its header ${unknown}: ${headers[unknown]} is not described`;
}

import { randomUUID } from 'node:crypto';

/** The address of an EventStoreDB server with streams that no other test uses. */
export const withOwnStreams = (url: string) =>
  `${url}${url.includes('?') ? '&' : '?'}streamPrefix=test-${randomUUID()}-`;

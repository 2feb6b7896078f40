import { randomUUID } from 'node:crypto';

/** Adds a stream prefix that no other test uses to the address of an EventStoreDB server. */
export const withOwnStreams = (url: string) =>
  `${url}${url.includes('?') ? '&' : '?'}streamPrefix=test-${randomUUID()}-`;

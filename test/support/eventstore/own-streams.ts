import { randomUUID } from 'node:crypto';

/** Adds a unique stream prefix to the address of an EventStoreDB server. */
export const withOwnStreams = (url: string) =>
  `${url}${url.includes('?') ? '&' : '?'}streamPrefix=test-${randomUUID()}-`;

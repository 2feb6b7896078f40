import { randomUUID } from 'node:crypto';

export const withOwnStreams = (url: string) =>
  `${url}${url.includes('?') ? '&' : '?'}streamPrefix=test-${randomUUID()}-`;

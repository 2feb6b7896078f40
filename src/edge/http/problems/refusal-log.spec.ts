import { beforeEach, describe, expect, it } from '@jest/globals';
import { RefusalLog } from './refusal-log.js';

describe('The log of refusals', () => {
  const lines: string[] = [];
  let now = 0;
  let log: RefusalLog;
  beforeEach(() => {
    lines.length = 0;
    now = 0;
    log = new RefusalLog(
      (line) => lines.push(line),
      () => now,
    );
  });

  const request = { method: 'POST', route: '/v1/sites/:slug/rollback', requestId: 'req_1', userId: 'usr_1' };

  it('includes the code, the route, the user and the request ID', () => {
    log.tell(request, 'forbidden');
    log.tell({ ...request, userId: null }, 'unauthenticated');
    expect(lines).toEqual([
      'forbidden: POST /v1/sites/:slug/rollback by usr_1, req_1',
      'unauthenticated: POST /v1/sites/:slug/rollback by an anonymous caller, req_1',
    ]);
  });

  it('omits simple mistakes, such as an invalid request or an unknown site', () => {
    log.tell(request, 'invalid_request');
    log.tell(request, 'site_not_found');
    expect(lines).toEqual([]);
  });

  it('contains the first 60 refusals of each minute, and then only the number of further refusals', () => {
    for (let n = 0; n < 1_000; n++) log.tell(request, 'rate_limited');
    expect(lines).toHaveLength(60);
    now += 60_000;
    log.tell(request, 'forbidden');
    expect(lines.slice(60)).toEqual(['940 more refusals in the past minute', expect.stringMatching(/^forbidden/)]);
  });
});

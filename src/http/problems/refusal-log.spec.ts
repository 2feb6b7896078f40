import { beforeEach, describe, expect, it } from '@jest/globals';
import { RefusalLog } from './refusal-log.js';

describe('What the operator is told of refusals', () => {
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

  it('is who was refused what, where, and under which id', () => {
    log.tell(request, 'forbidden');
    log.tell({ ...request, userId: null }, 'unauthenticated');
    expect(lines).toEqual([
      'forbidden: POST /v1/sites/:slug/rollback by usr_1, req_1',
      'unauthenticated: POST /v1/sites/:slug/rollback by nobody, req_1',
    ]);
  });

  it('is nothing where somebody has only made a mistake', () => {
    log.tell(request, 'invalid_request');
    log.tell(request, 'site_not_found');
    expect(lines).toEqual([]);
  });

  it('is of a flood the first sixty of a minute, and with the next how many more there were', () => {
    for (let n = 0; n < 1_000; n++) log.tell(request, 'rate_limited');
    expect(lines).toHaveLength(60);
    now += 60_000;
    log.tell(request, 'forbidden');
    expect(lines.slice(60)).toEqual(['940 more were refused in a minute.', expect.stringMatching(/^forbidden/)]);
  });
});

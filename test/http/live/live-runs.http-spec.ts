import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { makeSecret } from '../../../src/edge/http/auth/secrets.js';
import { EventStreamClient } from '../../support/service/event-stream-client.js';
import { type Stele, sharedStele, temporaryFolder } from '../../support/service/stele.js';
import { eventsOf, newRunId, tell } from '../../support/sites/runs.js';

describe('The live stream of a command-line run', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;

  beforeAll(async () => {
    temporary = await temporaryFolder('runs');
    stele = await sharedStele({ folder: temporary.folder });
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });

  const watch = (runId: string, headers: Record<string, string> = {}, query = '') =>
    new EventStreamClient(`${stele.base}${eventsOf(runId)}${query}`, headers);

  async function told(...kinds: string[]) {
    const runId = newRunId();
    for (const [n, kind] of kinds.entries()) await tell(stele, runId, kind, { n }).expect(202);
    return runId;
  }

  it('the stream can be opened before the first event of a run, and lasts until the run ends', async () => {
    const runId = newRunId();
    const watching = await watch(runId).opened();
    expect(watching.headers).toMatchObject({ 'content-type': expect.stringMatching(/^text\/event-stream/) });

    const { body } = await tell(stele, runId, 'run.started', { command: 'deploy' }).expect(202);
    expect(body).toEqual({ id: expect.stringMatching(/^evt_/), runId, revision: 1 });
    const jobId = `job_${'0'.repeat(26)}`;
    await stele.api.post('/v1/cli/event').send({ runId, kind: 'run.progress', jobId }).expect(202);
    await tell(stele, runId, 'run.log', { text: 'héllo' }).expect(202);
    await tell(stele, runId, 'run.succeeded').expect(202);

    expect(await watching.closed).toBe(true);
    const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);
    expect(watching.events).toEqual([
      { id: 1, event: 'run.started', data: { at, data: { command: 'deploy' } } },
      { id: 2, event: 'run.progress', data: { at, jobId, data: {} } },
      { id: 3, event: 'run.log', data: { at, data: { text: 'héllo' } } },
      { id: 4, event: 'run.succeeded', data: { at, data: {} } },
      { id: null, event: 'end', data: {} },
    ]);
    expect(watching.retry).toBe(2_000);
  });

  it('a finished run is streamed in full, and a client that has already received the whole run gets 204', async () => {
    const runId = await told('run.started', 'run.failed');
    const late = watch(runId);
    await late.closed;
    expect(late.events.map(({ id, event }) => [id, event])).toEqual([
      [1, 'run.started'],
      [2, 'run.failed'],
      [null, 'end'],
    ]);
    await stele.api.get(eventsOf(runId)).set('last-event-id', '2').expect(204);
    await stele.api.get(`${eventsOf(runId)}?after=2`).expect(204);
    const halfway = watch(runId, { 'last-event-id': '1' });
    await halfway.closed;
    expect(halfway.events.map(({ id }) => id)).toEqual([2, null]);
  });

  it('the content of a log line can’t forge the end of the stream', async () => {
    const runId = newRunId();
    const line = 'a\n\nevent: end\ndata: x\r\n\rid: 99\u2028\u0000';
    await tell(stele, runId, 'run.log', { text: line, '\n\nid: 7\n\n': 1 }).expect(202);
    const watching = watch(runId);
    await tell(stele, runId, 'run.succeeded').expect(202);
    await watching.closed;
    expect(watching.events.map(({ id, event }) => [id, event])).toEqual([
      [1, 'run.log'],
      [2, 'run.succeeded'],
      [null, 'end'],
    ]);
    expect(watching.events[0]?.data.data).toEqual({ text: line, '\n\nid: 7\n\n': 1 });
  });

  it('the stream resumes after Last-Event-ID, which takes precedence over the position in the URL', async () => {
    const runId = await told('run.started', 'run.log', 'run.log', 'run.succeeded');
    const watching = watch(runId, { 'last-event-id': '3' }, '?after=1');
    await watching.closed;
    expect(watching.events.map(({ id }) => id)).toEqual([4, null]);
    expect((await watch(runId, {}, '?after=2').until(({ event }) => event === 'end')).map(({ id }) => id)).toEqual([
      3,
      4,
      null,
    ]);
  });

  it('a Last-Event-ID beyond the last event of the run causes a reset, and the stream starts over', async () => {
    const runId = await told('run.started');
    const watching = watch(runId, { 'last-event-id': '999999999999' });
    expect((await watching.count(2)).map(({ id, event }) => [id, event])).toEqual([
      [null, 'reset'],
      [1, 'run.started'],
    ]);
    watching.cut();
  });

  it('the stream can resume after the ID of an event that does not exist yet but is written soon afterwards', async () => {
    const resumed = async () => {
      const runId = await told('run.started');
      const watching = await watch(runId, { 'last-event-id': '2' }).opened();
      await tell(stele, runId, 'run.log').expect(202);
      await tell(stele, runId, 'run.log').expect(202);
      const [first] = await watching.count(1);
      watching.cut();
      return first;
    };
    let first = await resumed();
    // If the requested event is not written within two seconds, the stream starts over. The test tries again in case
    // its writes took longer.
    for (let n = 0; n < 4 && first?.event === 'reset'; n++) first = await resumed();
    expect(first).toMatchObject({ id: 3, event: 'run.log' });
  }, 180_000);

  it('the run is also available as JSON lines, or as a page of events', async () => {
    const runId = await told('run.started', 'run.log', 'run.log', 'run.succeeded');
    const lines = watch(runId, { accept: 'application/x-ndjson' }, '?after=1');
    await lines.closed;
    expect(lines.headers['content-type']).toMatch(/^application\/x-ndjson/);
    const parsed = lines.body
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    expect(parsed.map(({ id, event, data }) => [id, event, data.data])).toEqual([
      [2, 'run.log', { n: 1 }],
      [3, 'run.log', { n: 2 }],
      [4, 'run.succeeded', { n: 3 }],
      [undefined, 'end', undefined],
    ]);

    const page = (query: string) =>
      stele.api
        .get(`${eventsOf(runId)}${query}`)
        .accept('application/json')
        .expect(200);
    const first = await page('?limit=2');
    expect(first.body).toMatchObject({ items: [{ id: 1 }, { id: 2 }], after: 2, limit: 2, total: 4, ended: false });
    const last = await page('?after=2');
    expect(last.body).toMatchObject({ items: [{ id: 3 }, { id: 4 }], after: 4, limit: 100, total: 4, ended: true });
    expect((await page('?after=77')).body).toMatchObject({ items: [], after: 4, total: 4 });
    const empty = await stele.api.get(eventsOf(newRunId())).accept('application/json').expect(200);
    expect(empty.body).toMatchObject({ items: [], after: 0, total: 0, ended: false });
  });

  it('HEAD returns the headers of the stream without waiting for events', async () => {
    const { headers } = await stele.api.head(eventsOf(newRunId())).expect(200);
    expect(headers).toMatchObject({ 'content-type': 'text/event-stream; charset=utf-8', vary: 'accept' });
  });

  it('over HTTP/1.0, the stream is not chunked and ends when the connection closes', async () => {
    const runId = await told('run.started', 'run.succeeded');
    const socket = connect(stele.port, '127.0.0.1');
    socket.write(`GET ${eventsOf(runId)} HTTP/1.0\r\nhost: localhost\r\n\r\n`);
    const answer = await text(socket);
    expect(answer).not.toMatch(/transfer-encoding/i);
    expect(answer.slice(answer.indexOf('\r\n\r\n'))).toMatch(
      /^\r\n\r\nretry: 2000\n\nid: 1\n[\s\S]*event: end\ndata: {}\n\n$/,
    );
  });

  it.each([
    ['a non-numeric id', {}, '?after=x', 'after'],
    ['a negative id', {}, '?after=-1', 'after'],
    ['two ids', {}, '?after=1&after=2', 'after'],
    ['a non-numeric Last-Event-ID', { 'last-event-id': 'abc' }, '', 'last-event-id'],
    ['a page of no events', {}, '?limit=0', 'limit'],
    ['a page of too many events', {}, '?limit=501', 'limit'],
  ])('a request with %s is refused', async (_what, headers, query, field) => {
    const { body } = await stele.api
      .get(`${eventsOf(newRunId())}${query}`)
      .set(headers)
      .expect(400);
    expect(body).toMatchObject({ code: 'invalid_request', errors: [{ path: field }] });
  });

  it.each(['run_x', 'job_01jd4v8k3mqg5t2x9w7z6y4r1p', `run_${'A'.repeat(26)}`, `${newRunId()}x`])(
    'an unknown run returns 404: %s',
    (name) => stele.api.get(eventsOf(name)).expect(404),
  );

  describe('writing the events of a run', () => {
    const secrets = new Map<string, string>();
    const token = (owner: string) => {
      const secret = secrets.get(owner) ?? makeSecret('edit');
      secrets.set(owner, secret);
      return { 'x-svc-edit-token': secret };
    };
    const write = (runId: string, headers: Record<string, string>) =>
      stele.api.post('/v1/cli/event').set(headers).send({ runId, kind: 'run.log' });

    it('a run belongs to the writer of its first event, who is identified by token regardless of the IP address', async () => {
      const runId = newRunId();
      await write(runId, token('mine')).expect(202);
      await write(runId, token('mine')).expect(202);
      const { body } = await write(runId, token('other')).expect(403);
      expect(body.code).toBe('forbidden');
      await write(runId, {}).expect(403);
    });

    it('the writer is identified by IP address if the first event was sent without a token', async () => {
      const runId = newRunId();
      await write(runId, {}).expect(202);
      await write(runId, token('given since')).expect(202);
    });

    it('if many writers start a run at the same time, the run belongs to exactly one writer', async () => {
      const runId = newRunId();
      const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => write(runId, token(`writer ${n}`))));
      expect(answers.map(({ status }) => status).sort()).toEqual([202, ...Array.from({ length: 11 }, () => 403)]);
    });

    it('no event contains its writer’s address or token', async () => {
      const runId = newRunId();
      await write(runId, token('secret of mine')).expect(202);
      const rows = (await stele.log()).filter(({ stream }) => stream === `run-${runId}`);
      expect(rows).toMatchObject([{ actor: '{"kind":"anonymous"}', data: '{"data":"{}","jobId":null}' }]);
    });
  });

  it('nothing can be written after the end of a run', async () => {
    const runId = await told('run.started', 'run.succeeded');
    const { body } = await tell(stele, runId, 'run.log').expect(409);
    expect(body.code).toBe('job_finished');
  });

  it('a run can have up to a thousand events, numbered without gaps even if they arrive concurrently', async () => {
    const runId = newRunId();
    const revisions: number[] = [];
    for (let n = 0; n < 20; n++) {
      const answers = await Promise.all(Array.from({ length: 50 }, () => tell(stele, runId, 'run.log').expect(202)));
      revisions.push(...answers.map(({ body }) => body.revision));
    }
    expect(revisions.sort((a, b) => a - b)).toEqual(Array.from({ length: 1_000 }, (_, n) => n + 1));
    const { body } = await tell(stele, runId, 'run.log').expect(429);
    expect(body.code).toBe('quota_exceeded');
  }, 120_000);

  it.each([
    ['a missing kind', { kind: undefined }, 'kind'],
    ['an unknown kind', { kind: 'run.exploded' }, 'kind'],
    ['a missing run id', { runId: undefined }, 'runId'],
    ['an uppercase run id', { runId: `run_${'A'.repeat(26)}` }, 'runId'],
    ['a run id with a trailing line feed', { runId: `${newRunId()}\n` }, 'runId'],
    ['data that is not an object', { data: [1] }, 'data'],
    ['an invalid job id', { jobId: 'job_1' }, 'jobId'],
    ['an unknown field', { token: 'x' }, 'token'],
  ])('an event with %s is refused, and the error names the field', async (_what, change, path) => {
    const { body } = await stele.api
      .post('/v1/cli/event')
      .send({ runId: newRunId(), kind: 'run.log', ...change })
      .expect(400);
    expect(body).toMatchObject({ code: 'invalid_request', errors: [{ path }] });
  });

  it.each([
    ['deeply nested data', `{"a":${'['.repeat(7_000)}${']'.repeat(7_000)}}`, ''],
    ['a number outside the range of a double', '{"n":1e999}', 'data'],
  ])('an event with %s is refused', async (_what, data, path) => {
    const { body } = await stele.api
      .post('/v1/cli/event')
      .type('json')
      .send(`{"runId":"${newRunId()}","kind":"run.log","data":${data}}`)
      .expect(400);
    expect(body).toMatchObject({ code: 'invalid_request', errors: [{ path }] });
  });

  it('an event of more than 16 KiB is refused, and a slightly smaller one is accepted', async () => {
    const runId = newRunId();
    await tell(stele, runId, 'run.log', { text: 'x'.repeat(16_200) }).expect(202);
    const { body } = await tell(stele, runId, 'run.log', { text: 'x'.repeat(16_400) }).expect(413);
    expect(body.code).toBe('too_large');
  });
});

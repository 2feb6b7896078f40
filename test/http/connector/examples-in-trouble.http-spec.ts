// needs: curl, jq, python

import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { ExampleAgent, type Language, languages } from '../../support/connector/example-agent.js';
import { type Said, ScriptedService, work } from '../../support/connector/scripted-service.js';
import { waitForOutput } from '../../support/service/output.js';

const POLL = '/v1/connector/poll?wait=25';
const TOKEN = 'stele_connector_of_a_test';

/** A work function that takes a second for each item, and logs its start. */
const slow: Record<Language, string> = {
  mjs: `async function work(input) {
  console.log('begun');
  await delay(1_000);
  return 'slow';
}`,
  py: `def work(given, id, partial):
    say("begun")
    time.sleep(1)
    return "slow"
`,
  sh: `work() {
  say begun
  sleep 1
  echo '"slow"'
}`,
};

/** A work function that logs its start, and then waits until its folder contains the file `finish`. */
const waiting: Record<Language, string> = {
  mjs: `async function work(input) {
  console.log('begun');
  const { existsSync } = await import('node:fs');
  while (!existsSync('finish')) await delay(50);
  return 'slow';
}`,
  py: `def work(given, id, partial):
    say("begun")
    while not os.path.exists("finish"):
        time.sleep(0.05)
    return "slow"
`,
  sh: `work() {
  say begun
  while [ ! -e finish ]; do sleep 0.05; done
  echo '"slow"'
}`,
};

const throwing: Record<Language, string> = {
  mjs: `async function work() { throw new Error('the password is 1234'); }`,
  py: `def work(given, id, partial):
    raise ValueError("the password is 1234")
`,
  sh: `work() { echo 'the password is 1234' >&2; return 3; }`,
};

/** A work function whose result can't be represented in JSON. */
const unspeakable: Record<Language, string> = {
  mjs: `async function work() { return 1n; }`,
  py: `def work(given, id, partial):
    return float("nan")
`,
  sh: `work() { echo '{"half":'; }`,
};

describe.each(languages)('examples/agent.%s when something goes wrong', (language) => {
  let service: ScriptedService;
  let agent: ExampleAgent;
  afterEach(async () => {
    await agent?.stop();
    await service?.stop();
  });
  async function facing(script: readonly Said[], own?: string) {
    service = await ScriptedService.start(...script);
    agent = await ExampleAgent.start(language, service.url, TOKEN, own);
  }
  const results = () =>
    service.asked.filter(({ path, body }) => path !== POLL && !(body as { partial?: true }).partial);
  const paths = async (many: number) => (await service.first(many)).map(({ path }) => path.split('/').at(-1));

  // Without /proc, only the header is checked.
  it('the agent sends its token only in a header, and the token is not in any command line', async () => {
    await facing([]);
    const [{ path, headers } = { path: '', headers: {} }] = await service.first(1);
    expect([path, headers.authorization]).toEqual([POLL, `Bearer ${TOKEN}`]);
    const commands = await Promise.all(
      (await readdir('/proc').catch(() => [])).map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
    );
    expect(commands.filter((command) => command.includes(TOKEN))).toEqual([]);
  });

  it('the agent exits with an error message if its token is unknown', async () => {
    await facing([[401, { code: 'unauthenticated' }]]);
    expect(await agent.ended()).toBe(1);
    expect(agent.printed()).toContain('token is unknown or was revoked');
    expect(agent.printed()).not.toContain(TOKEN);
  });

  it('the agent retries after the requested delay, and after a lost connection', async () => {
    await facing([[429, {}, { 'retry-after': '2' }], [503, {}, { 'retry-after': '2' }], 'cut', [204]]);
    const [first, second, third, fourth] = await service.first(5);
    expect(second!.at - first!.at).toBeGreaterThan(1_900);
    expect(third!.at - second!.at).toBeGreaterThan(1_900);
    expect(fourth!.path).toBe(POLL);
  }, 180_000);

  it('an agent that loses the lease on a work item continues with the next item', async () => {
    const lost: Said = [409, { code: 'lease_lost' }];
    // The agents other than the shell script also send a partial result, so they are told twice that the lease is lost.
    await facing(
      language === 'sh' ? [work('1', 'a'), lost, work('2', 'b')] : [work('1', 'a'), lost, lost, work('2', 'b')],
    );
    const asked = await paths(language === 'sh' ? 4 : 5);
    expect(asked.at(-1)).toBe('wrk_2');
  }, 180_000);

  it('the agent retries sending a result until it is accepted', async () => {
    await facing([work('1'), 'cut', [503, {}], [200, {}]], slow[language]);
    expect(await paths(5)).toEqual(['poll?wait=25', 'wrk_1', 'wrk_1', 'wrk_1', 'poll?wait=25']);
    expect(results().map(({ body }) => body)).toEqual(Array(3).fill({ attempt: 1, output: 'slow' }));
  }, 180_000);

  it('an agent whose result is refused reports an error, so that the caller does not keep waiting', async () => {
    await facing([work('1'), [413, { code: 'too_large', detail: 'At most 256 KiB.' }], [200, {}]], slow[language]);
    await service.first(4);
    expect(results().at(-1)!.body).toEqual({ attempt: 1, error: { message: 'The result of the agent was rejected.' } });
  }, 180_000);

  it('when asked to stop, the agent finishes its current item and exits with status 0', async () => {
    await facing([work('1'), [200, {}]], waiting[language]);
    await waitForOutput(agent.printed, 'begun');
    agent.tell('SIGTERM');
    await writeFile(join(agent.folder, 'finish'), '');
    expect(await agent.ended()).toBe(0);
    expect(results().map(({ body }) => body)).toEqual([{ attempt: 1, output: 'slow' }]);
    expect(service.asked.filter(({ path }) => path === POLL)).toHaveLength(1);
  }, 180_000);

  it('when asked to stop while polling for work, the agent exits immediately with status 0', async () => {
    await facing([]);
    await service.first(1);
    const asked = performance.now();
    agent.tell('SIGTERM');
    expect(await agent.ended()).toBe(0);
    // A poll would last 25 seconds, so the agent did not wait for its end.
    expect(performance.now() - asked).toBeLessThan(20_000);
  }, 180_000);

  it('when asked to stop while the service is down, the agent exits immediately with status 0', async () => {
    await facing([[503, {}, { 'retry-after': '60' }]]);
    await service.first(1);
    await waitForOutput(agent.printed, 'retrying in');
    agent.tell('SIGTERM');
    expect(await agent.ended()).toBe(0);
  }, 180_000);

  it.each([
    ['fails', throwing],
    ['returns a value that JSON can’t represent', unspeakable],
  ])(
    'the agent reports a failure without details if the handler %s',
    async (_, works) => {
      await facing([work('1'), [200, {}]], works[language]);
      await service.first(3);
      expect(results().map(({ body }) => body)).toEqual([{ attempt: 1, error: { message: 'The agent failed.' } }]);
    },
    60_000,
  );

  it('the agent never sends its token to the target of a redirect', async () => {
    const elsewhere = await ScriptedService.start([204]);
    await facing([[307, {}, { location: `${elsewhere.url}/v1/connector/poll` }]]);
    await Promise.race([elsewhere.first(1), agent.ended()]);
    expect(elsewhere.asked.map(({ headers }) => headers.authorization)).not.toContain(`Bearer ${TOKEN}`);
    await elsewhere.stop();
  }, 180_000);
});

// needs: curl, jq, python

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connectedSite, waitForAgent } from '../../support/connector/connected-site.js';
import { ExampleAgent, languages } from '../../support/connector/example-agent.js';
import { signIn } from '../../support/people/sign-in.js';
import { waitForOutput } from '../../support/service/output.js';
import { reusablePort } from '../../support/service/reusable-port.js';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';

/** Inputs that a shell or a template might misinterpret. */
const odd: Readonly<Record<string, unknown>> = {
  'a command': '$(touch x); `touch x`; "; touch x; \'; touch x; & touch x |',
  'an option': '--output=x -rf * ~ ../x',
  'lines and quotes': 'one\ntwo\r\n\'three\' "four" \\ \\n \t %s %n {} [] \u2028',
  'characters of all kinds': '😀 é e\u0301 \u202e漢字 \u0000 \u001b[31m \u007f',
  'values that are not strings': [null, true, false, 0, -0.5, 1e21, '', {}, []],
  'a member named __proto__': JSON.parse('{"__proto__":{"polluted":1},"prototype":2}'),
  'unusual member names': { '': 1, '$(touch x)': 2, constructor: 4, "'": 5 },
  'deep nesting': JSON.parse(`${'['.repeat(50)}${']'.repeat(50)}`),
  'two hundred KiB': '$(touch x)\n'.repeat((200 * 1_024) / 11),
};

let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
let stele: Stele;
let env: Record<string, string>;

beforeAll(async () => {
  temporary = await temporaryFolder('examples');
  env = { PORT: `${await reusablePort()}` };
  stele = await startStele({ folder: temporary.folder, env });
}, 180_000);
afterAll(async () => {
  await stele?.stop();
  await temporary?.remove();
});

describe.each(languages)('examples/agent.%s with the service', (language) => {
  let site: Awaited<ReturnType<typeof connectedSite>>;
  let agent: ExampleAgent;

  beforeAll(async () => {
    site = await connectedSite(stele, await signIn(stele, `${language}@example.org`));
    agent = await ExampleAgent.start(language, stele.base, site.token);
    await waitForAgent(site, agent);
  }, 180_000);
  afterAll(() => agent?.stop());

  it.each(Object.keys(odd))('the agent returns %s unchanged', async (name) => {
    const { body } = await site.invoke(odd[name]).expect(200);
    expect(body).toMatchObject({ status: 'succeeded', output: { youSent: odd[name] } });
    expect(await agent.left()).toEqual([]);
  });

  if (language !== 'sh')
    it('the agent sends partial results before the result, and explains why it rejects an input', async () => {
      const { text } = await site.invoke('parts').set('accept', 'text/event-stream').buffer().expect(200);
      expect(text.match(/^event: .*$/gm)).toEqual(['event: partial', 'event: succeeded']);
      expect(text).toMatch(/Looking at wrk_/);
      const { body } = await site.invoke(null).expect(200);
      expect(body).toMatchObject({ status: 'failed', error: { message: 'Send me something.' } });
    });

  it('the agent handles requests from many callers one at a time', async () => {
    const asked = Array.from({ length: 8 }, (_, n) => n);
    const answers = await Promise.all(asked.map((n) => site.invoke(n, { wait: 30 }).expect(200)));
    expect(answers.map(({ body }) => body.output.youSent)).toEqual(asked);
  }, 180_000);

  it('the agent reconnects when the service is back', async () => {
    expect(await stele.stop()).toBe(0);
    await waitForOutput(agent.printed, 'retrying in');
    stele = await startStele({ folder: temporary.folder, env });
    await waitForAgent(site, agent);
  }, 180_000);
});

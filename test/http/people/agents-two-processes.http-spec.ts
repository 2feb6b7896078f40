import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { databaseUrl } from '../../support/database/database-url.js';
import { freshDatabase } from '../../support/database/test-database.js';
import {
  AgentProgram,
  browserOfPerson,
  grantsOf,
  homeOf,
  registerProgram,
} from '../../support/people/agent-program.js';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';

describe('Connected apps on two processes', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let one: Stele;
  let two: Stele;

  beforeAll(async () => {
    temporary = await temporaryFolder('agents-two');
    database = await freshDatabase();
    const env = {
      DATABASE_URL: databaseUrl(database.config),
      // Both processes have the same address, as behind a proxy.
      STELE_MCP_URL: 'http://localhost:1/mcp',
      STELE_RATE_LIMITS: 'on',
    };
    [one, two] = await Promise.all([
      startStele({ folder: temporary.folder, env }),
      startStele({ folder: temporary.folder, env }),
    ]);
  }, 180_000);
  afterAll(async () => {
    await Promise.all([one?.stop(), two?.stop()]);
    await database?.drop();
    await temporary.remove();
  });

  it('an app can register on one process and be approved on another, and revoking it affects both processes', async () => {
    const clientId = await registerProgram(one);
    const [here, there] = [new AgentProgram(one, clientId), new AgentProgram(two, clientId)];
    const ann = await browserOfPerson(one, 'ann@example.org');
    const resource = 'http://localhost:1/mcp';
    const { address, page, verifier } = await here.asked(ann.browser, { resource });
    const cookie = ann.browser.cookiesFor(homeOf(one));
    const elsewhere = (url: string) => url.replace(homeOf(one), homeOf(two));
    const shown = await fetch(elsewhere(address), { headers: { accept: 'text/html', cookie } });
    expect(await shown.text()).toBe(page.text);
    const pressed = await fetch(elsewhere(address), {
      method: 'POST',
      headers: { accept: 'text/html', cookie },
      body: new URLSearchParams({ as: ann.user.id, decision: 'approve' }),
    });
    const next = pressed.headers.get('refresh')?.replace('0;url=', '') ?? '';
    const { location } = await ann.browser.open(homeOf(one) + next);
    const code = new URL(location ?? '').searchParams.get('code') ?? '';
    const { body: first } = await there.exchange({ code, code_verifier: verifier }).expect(200);
    const { body: second } = await here.refresh(first.refresh_token).expect(200);
    const { grants, close } = grantsOf({ database: database.config });
    expect(await grants.find(second.access_token, resource)).toMatchObject({ userId: ann.user.id });
    const { body } = await two.api.get('/v1/me/grants').set(ann.bearer).expect(200);
    await two.api.delete(`/v1/me/grants/${body.items[0].id}`).set(ann.bearer).expect(204);
    await expect(grants.find(second.access_token, resource)).rejects.toMatchObject({ code: 'unauthenticated' });
    await close();
    await here.refresh(second.refresh_token).expect(400);
  });

  it('each IP address can start 120 authorizations in ten minutes, including refused authorizations', async () => {
    const ask = () => two.raw.get('/oauth/authorize').query({ client_id: 'https://10.0.0.1/agent.json' });
    const statuses: number[] = [];
    for (let turn = 0; turn < 121; turn++) statuses.push((await ask()).status);
    expect([statuses[0], statuses.at(-1)]).toEqual([400, 429]);
  });

  it('each IP address can register sixty apps an hour and try sixty tokens a minute', async () => {
    const register = () => one.raw.post('/oauth/register').send({ redirect_uris: ['https://agent.example/'] });
    const statuses: number[] = [];
    for (let turn = 0; turn < 61; turn++) statuses.push((await register()).status);
    expect(statuses.filter((status) => status === 201).length).toBeLessThanOrEqual(60);
    expect(statuses.at(-1)).toBe(429);
    const guess = () => one.raw.post('/oauth/token').type('form').send('grant_type=refresh_token&refresh_token=x');
    for (let turn = 0; turn < 61; turn++) statuses.push((await guess()).status);
    expect(statuses.at(-1)).toBe(429);
  });
});

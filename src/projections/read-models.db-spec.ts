import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ProjectionProcesses } from '../../test/support/database/projection-processes.js';
import { applyToRows, type Rows } from '../../test/support/events/apply-to-rows.js';
import { created, deployed, digestOf, rolledBack, server, staged } from '../../test/support/events/site-examples.js';
import { domainEvents, domainStream } from '../events/domain.events.js';
import { jobEvents, jobStream } from '../events/job.events.js';
import {
  SiteCreated,
  SiteExpired,
  SiteExpirySet,
  SiteRestored,
  SiteTakenDown,
  siteEvents,
  siteStream,
} from '../events/site/site.events.js';
import { SlugHeld } from '../events/slug.events.js';
import type { DomainEvent } from '../kernel/decider.js';
import type { NewEvent } from '../kernel/event-store.js';
import { emptyStream } from '../kernel/event-store.js';
import { allReadModels } from './read-models.js';

/**
 * The streams to write, each with its event types except those that remove rows. The test writes the example event of
 * each type.
 */
const streams = (
  [
    [siteStream('site_1'), siteEvents],
    [domainStream('www.example.com'), domainEvents],
    [jobStream('job_1'), jobEvents],
  ] as const
).map(
  ([stream, types]) =>
    [stream, types.filter(({ type }) => !/(Forgotten|Removed|Revoked|Unlinked)$/.test(type))] as const,
);

describe('The rows of the read models', () => {
  let keeping: ProjectionProcesses;
  beforeEach(async () => {
    keeping = await ProjectionProcesses.open();
  });
  afterEach(() => keeping.close());

  const time = (minute: number) => `2026-11-20T12:0${minute}:00.000Z`;

  /** Returns the rows of all read models after these events, which are a minute apart. */
  async function rowsAfter(...events: DomainEvent[]) {
    const numbered = events.map(
      (event, n): NewEvent => ({
        ...event,
        id: `evt_${n}`,
        at: time(n),
        actor: { kind: 'user', id: 'usr_1', name: 'Ann' },
      }),
    );
    await keeping.store.append(siteStream('site_1'), emptyStream, numbered);
    const process = await keeping.process();
    await process.keep();
    const last = await keeping.store.lastPosition();
    expect(await process.checkpoints.reached(last)).toBe(last);
    return keeping.rows();
  }

  it('a new site has a row but no content', async () => {
    const { sites, deploys } = await rowsAfter(created);
    expect(sites).toMatchObject([
      {
        site_id: 'site_1',
        slug: 'amber-otter',
        title: '',
        description: '',
        robots: 'index',
        visibility: 'public',
        password_id: null,
        former_slugs: '',
        capabilities: '{}',
        status: 'live',
        edit_token_hash: digestOf('a'),
        deploy_id: null,
        manifest: null,
        program: null,
        deploys: 0,
        expires_at: null,
        taken_down: false,
        modified_at: null,
        created_at: new Date(time(0)),
        updated_at: new Date(time(0)),
        revision: 1,
      },
    ]);
    expect(deploys).toEqual([]);
  });

  it.each(allReadModels.map((model) => [model.name, model] as const))(
    'the columns of each row contain what the read model computes: %s',
    async (_, model) => {
      for (const [stream, types] of streams) {
        const events = types.map(
          ({ type, example }, n): NewEvent => ({
            ...{ type, data: example, id: `evt_${stream}_${n}`, at: time(n % 10) },
            actor: { kind: 'user', id: 'usr_1', name: 'Ann', client: 'Claude', grant: 'grt_1' },
          }),
        );
        await keeping.store.append(stream, emptyStream, events);
      }
      const process = await keeping.process();
      await process.keep();
      const last = await keeping.store.lastPosition();
      expect(await process.checkpoints.reached(last)).toBe(last);

      let expected: Rows = {};
      for (const [stream] of streams)
        for (const event of (await keeping.store.read(stream)).events) expected = applyToRows(model, expected, event);
      const stored = await process.db.getRepository(model.entity).find();
      expect(Object.keys(expected)).not.toEqual([]);
      const key = process.db.getMetadata(model.entity).primaryColumns[0]?.propertyName ?? '';
      expect(Object.fromEntries(stored.map((row) => [(row as Record<string, unknown>)[key], row]))).toEqual(expected);
    },
  );

  it('a site’s modification time changes only if another deploy goes live', async () => {
    const { sites } = await rowsAfter(created, deployed(1), deployed(2, 'dep_1'), staged(3), rolledBack(1, 2));
    // The time is one second after the last change, so that no copy of the previous content has the same time.
    expect(sites).toMatchObject([{ modified_at: new Date('2026-11-20T12:04:01.000Z') }]);
  });

  it('a site with an owner has no edit token', async () => {
    const { sites } = await rowsAfter(SiteCreated({ slug: 'amber-otter', editTokenHash: null }));
    expect(sites).toMatchObject([{ edit_token_hash: null }]);
  });

  it('the row of a site contains the kind of its live server', async () => {
    const { sites, deploys } = await rowsAfter(created, deployed(1), server(2, 'dep_1'));
    expect(sites).toMatchObject([{ deploy_id: 'dep_2', manifest: digestOf('2'), program: 'next' }]);
    expect(deploys).toMatchObject([{ program: null }, { program: 'next', files: 0, bytes: '200' }]);
  });

  it('the row of a site contains no server kind after a rollback to files', async () => {
    const { sites } = await rowsAfter(created, deployed(1), server(2, 'dep_1'), rolledBack(1, 2));
    expect(sites).toMatchObject([{ deploy_id: 'dep_1', program: null }]);
  });

  it('the rows of a new site contain its first deploy, which is live', async () => {
    const { sites, deploys } = await rowsAfter(created, deployed(1));
    expect(sites).toMatchObject([
      {
        deploy_id: 'dep_1',
        manifest: digestOf('1'),
        deploys: 1,
        created_at: new Date(time(0)),
        updated_at: new Date(time(1)),
        revision: 2,
      },
    ]);
    expect(deploys).toMatchObject([
      {
        deploy_id: 'dep_1',
        site_id: 'site_1',
        number: 1,
        status: 'live',
        files: 1,
        bytes: '100',
        manifest: digestOf('1'),
        program: null,
        source: 'upload',
        job_id: null,
        commit: null,
        provenance: null,
        trusted: null,
        message: null,
        actor_kind: 'user',
        actor_id: 'usr_1',
        actor_client: null,
        actor_grant: null,
        actor_token: null,
        actor_publisher: null,
        created_at: new Date(time(1)),
        live_from: new Date(time(1)),
        live_until: null,
      },
    ]);
  });

  it('a deploy is superseded by the next deploy', async () => {
    const { sites, deploys } = await rowsAfter(created, deployed(1), deployed(2, 'dep_1'));
    expect(sites).toMatchObject([{ deploy_id: 'dep_2', deploys: 2, revision: 3 }]);
    expect(deploys).toMatchObject([
      { deploy_id: 'dep_1', status: 'superseded', live_from: new Date(time(1)), live_until: new Date(time(2)) },
      { deploy_id: 'dep_2', status: 'live', live_from: new Date(time(2)), live_until: null },
    ]);
  });

  it('a staged deploy is not live until the site is rolled back to it', async () => {
    const { sites, deploys } = await rowsAfter(created, deployed(1), staged(2));
    expect(sites).toMatchObject([{ deploy_id: 'dep_1', deploys: 2, revision: 3 }]);
    expect(deploys).toMatchObject([
      { deploy_id: 'dep_1', status: 'live' },
      { deploy_id: 'dep_2', status: 'staged', live_from: null, live_until: null },
    ]);
  });

  it('the row of a site contains its expiry and whether it was taken down', async () => {
    const until = '2026-11-21T00:00:00.000Z';
    const { sites } = await rowsAfter(
      created,
      deployed(1),
      SiteExpirySet({ expiresAt: until, renews: false }),
      SiteTakenDown({ reason: 'x' }),
    );
    expect(sites).toMatchObject([
      { status: 'live', expires_at: new Date(until), taken_down: true, deploy_id: 'dep_1' },
    ]);
  });

  it('a site that was taken down and restored can still expire', async () => {
    const { sites } = await rowsAfter(created, SiteTakenDown({ reason: 'x' }), SiteRestored({}), SiteExpired({}));
    expect(sites).toMatchObject([{ status: 'expired', taken_down: false, revision: 4 }]);
  });

  it('a rollback makes an earlier deploy live again, and removes no deploy', async () => {
    const { sites, deploys } = await rowsAfter(created, deployed(1), deployed(2, 'dep_1'), rolledBack(1, 2));
    expect(sites).toMatchObject([{ deploy_id: 'dep_1', manifest: digestOf('1'), deploys: 2, revision: 4 }]);
    expect(deploys).toMatchObject([
      {
        deploy_id: 'dep_1',
        status: 'live',
        created_at: new Date(time(1)),
        live_from: new Date(time(3)),
        live_until: null,
      },
      { deploy_id: 'dep_2', status: 'superseded', live_from: new Date(time(2)), live_until: new Date(time(3)) },
    ]);
  });

  it('a deploy after a rollback supersedes the deploy that was live', async () => {
    const { deploys } = await rowsAfter(
      created,
      deployed(1),
      deployed(2, 'dep_1'),
      rolledBack(1, 2),
      deployed(3, 'dep_1'),
    );
    expect(deploys).toMatchObject([
      { deploy_id: 'dep_1', status: 'superseded', live_until: new Date(time(4)) },
      { deploy_id: 'dep_2', status: 'superseded', live_until: new Date(time(3)) },
      { deploy_id: 'dep_3', number: 3, status: 'live' },
    ]);
  });

  it('the history contains each event as it was recorded, with a link to the previous event', async () => {
    const { history = [] } = await rowsAfter(created, deployed(1));
    expect(history).toEqual([
      {
        id: 'evt_0',
        site_id: 'site_1',
        revision: 1,
        position: '1',
        type: 'SiteCreated',
        schema: 1,
        at: new Date(time(0)),
        actor: '{"id":"usr_1","kind":"user","name":"Ann"}',
        data: `{"editTokenHash":"${digestOf('a')}","slug":"amber-otter"}`,
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        previous_hash: null,
      },
      expect.objectContaining({ id: 'evt_1', revision: 2, position: '2', type: 'SiteDeployed' }),
    ]);
    const { events } = await keeping.store.read(siteStream('site_1'));
    expect(history).toMatchObject(events.map(({ hash, previousHash }) => ({ hash, previous_hash: previousHash })));
  });

  it('events that do not concern sites add no rows and are skipped', async () => {
    await keeping.store.write('slug-amber-otter', SlugHeld({ siteId: 'site_1' }));
    const { sites = [], history = [] } = await rowsAfter(created);
    await keeping.store.write('slug-amber-otter', SlugHeld({ siteId: 'site_2' }));
    expect([sites.length, history.length]).toEqual([1, 1]);
    const process = await keeping.process();
    expect(await process.checkpoints.reached(3n)).toBe(3n);
    expect(await keeping.rows()).toMatchObject({ sites, history });
  });
});

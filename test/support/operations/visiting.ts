import { verb } from '../faults/points/verb.js';
import { visitorOf } from '../people/site-visitor.js';
import { everybody, type Operation } from './operation.js';
import { theirSite } from './starting-points.js';

export const visiting: readonly Operation[] = [
  {
    operation: 'GET /s/{slug}/{path}',
    // Under /s/, public sites are available to everyone, and other sites to nobody.
    statuses: everybody(200),
    hidden: everybody(404),
  },
  {
    operation: 'GET /.stele/',
    verbs: [
      verb({
        way: 'a member comes in',
        prepare: async (world) => {
          const given = await theirSite(world);
          await world.api
            .post(`/v1/sites/${given.slug}/access`)
            .set(given.by)
            .send({ visibility: 'members' })
            .expect(200);
          const visitor = visitorOf(world.stele, `${given.slug}.localhost:${world.stele.port}`);
          return { ...given, entrance: await visitor.ticketFor({ authorization: given.by.authorization ?? '' }) };
        },
        ask: ({ stele }, { slug, entrance }) => stele.visit(slug, entrance).set('accept', 'text/html'),
      }),
    ],
  },
];

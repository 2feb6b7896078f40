import { visitorOf } from '../../people/site-visitor.js';
import { type Verb, verb } from '../points/verb.js';
import { theirSite } from './starting-points.js';

/** Visitors' requests to the hosts of sites. */
export const visiting: readonly Verb[] = [
  verb({
    operation: 'GET /.stele/',
    way: 'a member comes in',
    prepare: async (world) => {
      const given = await theirSite(world);
      await world.api.post(`/v1/sites/${given.slug}/access`).set(given.by).send({ visibility: 'members' }).expect(200);
      const visitor = visitorOf(world.stele, `${given.slug}.localhost:${world.stele.port}`);
      return { ...given, entrance: await visitor.ticketFor({ authorization: given.by.authorization ?? '' }) };
    },
    ask: ({ stele }, { slug, entrance }) => stele.visit(slug, entrance).set('accept', 'text/html'),
  }),
];

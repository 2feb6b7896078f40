import type { RecordedSite } from './recorded.js';
import type { AskedAct } from './site-model.js';

export type Headers = Readonly<Record<string, string>>;
export type Sent = {
  readonly method: string;
  readonly path: string;
  readonly headers?: Headers;
  readonly body?: object | string;
};
/** Returns the recorded state of the site with this key. Requests need the IDs of its deploys and members. */
export type Known = (key: string) => RecordedSite | undefined;

export function requestFor(act: AskedAct, known: Known): Sent {
  const site = `/v1/sites/${act.slug}`;
  switch (act.kind) {
    case 'post':
      return { method: 'POST', path: `/v1/deploy?slug=${act.slug}&message=${act.mark}`, body: act.mark };
    case 'patch':
      return {
        method: 'PATCH',
        path: `/v1/deploy?slug=${act.slug}&message=${act.mark}&publish=${act.publish}`,
        body: act.mark,
      };
    case 'rollback':
      return {
        method: 'POST',
        path: `${site}/rollback`,
        body: act.to === 'previous' ? { deployId: 'previous' } : { number: act.to },
      };
    case 'describe':
      return { method: 'PATCH', path: site, body: { title: act.title } };
    case 'access':
      return {
        method: 'POST',
        path: `${site}/access`,
        body: { visibility: act.visibility, ...(act.password !== null && { password: act.password }) },
      };
    case 'makeToken':
      return { method: 'POST', path: `${site}/tokens`, body: { name: 'script', role: act.role } };
    case 'endToken': {
      const id = known(act.slug)?.tokenIds[act.n - 1] ?? `tok_${'0'.repeat(26)}`;
      return { method: 'DELETE', path: `${site}/tokens/${id}` };
    }
    case 'rename':
      return { method: 'POST', path: `${site}/rename`, body: { slug: act.newSlug } };
    case 'role':
    case 'remove': {
      const id = known(act.slug)?.memberIds.get(act.person) ?? `mem_${'0'.repeat(26)}`;
      const path = `${site}/members/${id}`;
      return act.kind === 'remove' ? { method: 'DELETE', path } : { method: 'PATCH', path, body: { role: act.role } };
    }
    case 'takedown':
      return { method: 'POST', path: `/v1/admin/sites/${act.slug}/takedown`, body: { reason: 'as a history has it' } };
    case 'restore':
      return { method: 'POST', path: `/v1/admin/sites/${act.slug}/restore` };
    case 'delete':
      return { method: 'DELETE', path: site };
    default:
      throw new Error(`${act.kind} is no request of its own`);
  }
}

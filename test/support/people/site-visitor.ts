import { expect } from '@jest/globals';
import { type RawAnswer, rawRequestsTo } from '../service/raw-request.js';
import type { Stele } from '../service/stele.js';

export const NAVIGATION = { accept: 'text/html,*/*;q=0.8', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

type Bearer = { readonly authorization: string };
type Fields = Readonly<Record<string, string>>;

/** Returns a visitor of the host of a site or a deploy. The methods perform the steps of a browser. */
export function visitorOf(stele: Pick<Stele, 'port' | 'raw'>, host: string) {
  const visit = rawRequestsTo(stele.port, host);

  const knock = (fields: Fields, headers: Fields = {}) => {
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    return visit('/.stele/', { ...NAVIGATION, ...type, ...headers }, 'POST', new URLSearchParams(fields).toString());
  };

  /** Returns the path on this host to which the service redirects a member who opens a page. It contains a ticket. */
  const ticketFor = async (bearer: Bearer, path = '/'): Promise<string> => {
    const sent = await visit(path, NAVIGATION);
    expect(sent.status).toBe(303);
    const { pathname, search } = new URL(sent.headers.location ?? '');
    const answer = await stele.raw.get(pathname + search).set({ ...bearer, accept: 'text/html' });
    expect(answer.status).toBe(303);
    const entrance = new URL(answer.headers.location ?? '');
    expect(entrance.host).toBe(host);
    return entrance.pathname + entrance.search;
  };

  return {
    visit,
    knock,
    ticketFor,
    async byPassword(password: string): Promise<Fields> {
      const entered = await knock({ password });
      expect(entered.status).toBe(303);
      return { cookie: cookieOf(entered) };
    },
    /** Opens a page as a member, follows the redirects through the service, and returns the site's cookie. */
    async asMember(bearer: Bearer, path = '/'): Promise<Fields> {
      const entered = await visit(await ticketFor(bearer, path), NAVIGATION);
      expect([entered.status, entered.headers.location]).toEqual([303, path]);
      return { cookie: cookieOf(entered) };
    },
  };
}

/** Returns the Cookie header for the single cookie that a response sets. */
export const cookieOf = ({ headers }: RawAnswer): string => String(headers['set-cookie'] ?? '').split(';', 1)[0] ?? '';

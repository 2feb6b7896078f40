import type { Question } from './service-asked.js';

/**
 * Requests and credentials that a user of an earlier version still has. Fixtures contain them in this form, so later
 * versions of these tests must be able to read it.
 */
export type HandedOut = {
  /** Requests to repeat after the upgrade, by a name that describes them. They change nothing. */
  readonly looks: Readonly<Record<string, Question>>;
  /** Request headers that authenticate a caller: a session, a site's edit token, or an access token. */
  readonly callers: Readonly<Record<string, Readonly<Record<string, string>>>>;
};

export class HandingOut {
  readonly looks: Record<string, Question> = {};
  readonly callers: Record<string, Record<string, string>> = {};

  holds(name: string, editToken: string) {
    const headers = { 'x-svc-edit-token': editToken };
    this.callers[name] = headers;
    return headers;
  }

  /** Adds a visitor's request to a site's own host. */
  visit(name: string, site: string, path = '/', headers: Record<string, string> = {}) {
    this.looks[`${name}: ${site} ${path}`] = { site, path, headers };
  }

  /** Adds a read request to the API, with the credentials of a caller. */
  read(path: string, caller?: string, headers: Record<string, string> = {}) {
    const name = `${path} for ${caller ?? 'anybody'}${headers.accept ? ` as ${headers.accept}` : ''}`;
    this.looks[name] = { path, headers: { ...(caller && this.callers[caller]), ...headers } };
  }

  /** Adds read requests for everything about a site, with the credentials of a caller. Some of them may be refused. */
  readSite(slug: string, caller: string) {
    for (const part of ['', '/deploys', '/history', '/members', '/files', '/capabilities', '/secrets'])
      this.read(`/v1/sites/${slug}${part}`, caller);
    this.read(`/v1/sites/${slug}/history`, caller, { accept: 'application/x-ndjson' });
  }
}

import type { Question } from './service-asked.js';

/**
 * What a user of an earlier version still has in hand: where they looked, and what they were given. It is kept
 * in the fixture, so every version of the story must be able to read that of the ones before.
 */
export type HandedOut = {
  /** What is looked at again, by a name that says what it shows. Looking changes nothing. */
  readonly looks: Readonly<Record<string, Question>>;
  /** Headers by which people act: their session, a site's edit token, an access token. */
  readonly callers: Readonly<Record<string, Readonly<Record<string, string>>>>;
};

/** Collects it while the story is told. */
export class HandingOut {
  readonly looks: Record<string, Question> = {};
  readonly callers: Record<string, Record<string, string>> = {};

  /** A caller who has the edit token of a site. */
  holds(name: string, editToken: string) {
    const headers = { 'x-svc-edit-token': editToken };
    this.callers[name] = headers;
    return headers;
  }

  /** A page of a site at its own host, as any visitor sees it. */
  visit(name: string, site: string, path = '/', headers: Record<string, string> = {}) {
    this.looks[`${name}: ${site} ${path}`] = { site, path, headers };
  }

  /** What the service says of something to one of its callers. */
  read(path: string, caller?: string, headers: Record<string, string> = {}) {
    const name = `${path} for ${caller ?? 'anybody'}${headers.accept ? ` as ${headers.accept}` : ''}`;
    this.looks[name] = { path, headers: { ...(caller && this.callers[caller]), ...headers } };
  }

  /** All that can be read of a site by this caller. */
  readSite(slug: string, caller: string) {
    for (const part of ['', '/deploys', '/history', '/members', '/files', '/capabilities', '/secrets'])
      this.read(`/v1/sites/${slug}${part}`, caller);
    this.read(`/v1/sites/${slug}/history`, caller, { accept: 'application/x-ndjson' });
  }
}

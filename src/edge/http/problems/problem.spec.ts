import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { refusalCodes } from '../../../kernel/refusals.js';
import { problems } from './problem.js';

/** The full list from docs/interface/reference.md, "Error codes". */
const documented: Record<number, string> = {
  400: 'invalid_request client_outdated no_files invalid_path blocked_path invalid_slug invalid_expires expires_needs_anonymous invalid_token',
  401: 'unauthenticated',
  403: 'forbidden edit_token_invalid cross_origin capability_disabled',
  404: 'not_found site_not_found deploy_not_found job_not_found',
  405: 'method_not_allowed',
  409: 'slug_taken already_claimed job_finished nothing_to_rerun domain_taken already_member last_owner lease_lost conflict idempotency_in_progress',
  410: 'site_expired',
  412: 'revision_mismatch',
  413: 'too_large too_many_files',
  415: 'unsupported_media_type',
  421: 'wrong_host',
  422: 'idempotency_key_reused repo_unreachable repo_not_allowed plan_not_detected blob_missing digest_mismatch generation_refused generation_incomplete',
  429: 'rate_limited quota_exceeded',
  451: 'taken_down',
  502: 'server_failed',
  503: 'unavailable generator_unavailable builder_unavailable no_agent server_starting',
  504: 'server_timeout',
  507: 'storage_full',
};

const FILLERS = new Set(['a', 'an', 'the', 'this', 'site', 'user', 'of', 'has', 'is', 'was']);

const wordsOf = (text: string): readonly string[] =>
  text
    .toLowerCase()
    .split(/[^\p{L}\d]+/u)
    .filter(Boolean);

/** Reports whether a detail has no word, other than fillers, that the title does not have. */
function repeats(title: string, detail: string): boolean {
  const known = wordsOf(title);
  return wordsOf(detail).every((word) => FILLERS.has(word) || known.includes(word));
}

describe('Problems', () => {
  it.each(
    Object.entries(documented).flatMap(([status, codes]) => codes.split(' ').map((code) => [code, Number(status)])),
  )('the problem %s has the status %i', (code, status) =>
    expect(Object.entries(problems).find(([name]) => name === code)?.[1].status).toBe(status),
  );

  it('every problem code is documented', () =>
    expect([...refusalCodes].sort()).toEqual(
      Object.values(documented)
        .flatMap((codes) => codes.split(' '))
        .sort(),
    ));

  it('problems have a short title without a period, and full sentences as detail and suggestion', () => {
    for (const { title, detail, suggestion } of Object.values(problems)) {
      expect(title).toMatch(/^[A-Z][^.]{3,80}$/);
      expect(detail).toMatch(/^[A-Z].*\.$/);
      expect(repeats(title, detail)).toBe(false);
      if (suggestion !== undefined) expect(suggestion).toMatch(/\.$/);
    }
  });

  it('no detail repeats its title in the responses to common mistakes', async () => {
    const responses = await readFile('test/http/mistakes/mistakes.txt', 'utf8');
    const told = [...responses.matchAll(/^ {3}\d{3} \w+: (.+)\n {3}(\S.+)$/gm)];
    expect(told.length).toBeGreaterThan(70);
    expect(told.filter(([, title = '', detail = '']) => repeats(title, detail)).map(([all]) => all)).toEqual([]);
  });
});

import { createHash } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import { read, type Stele } from 'stele-api/client';
import { NetworkError, RESPONSE_TIMEOUT } from 'stele-api/problem';
import { RefusedError } from '../command-line/errors.js';
import type { Session } from '../command-line/session.js';
import { plural } from '../output/quantities.js';
import type { Performed } from './perform-deploy.js';
import { label } from './show-plan.js';

type Published = { readonly path: string; readonly sha256: string };

const CONCURRENCY = 8;
/** A request fails if nothing is received for this time. */
const SILENCE_MS = 90_000;
/** Files that configure the site and are not served. */
const NOT_SERVED = new Set(['_redirects', '_headers']);

/** Fetches the files of a deploy from its public address, and throws RefusedError if one differs from what was sent. */
export async function verifyDeploy(
  { output, signal }: Session,
  stele: Stele,
  { prepared, outcome: { slug } }: Pick<Performed, 'prepared' | 'outcome'>,
  address: string,
): Promise<void> {
  if (!prepared)
    throw new RefusedError('--verify works only with folders. The deploy itself succeeded.', 'not_verified');
  const { visibility } = await read(stele.api.GET('/v1/sites/{slug}', { params: { path: { slug } } }));
  if (visibility !== 'public')
    throw new RefusedError(
      `--verify works only with public sites, but the visibility of ${slug} is “${visibility}”. The deploy itself succeeded.`,
      'not_verified',
    );
  const { count, wrong } = await verifyFiles(address, prepared.files, signal);
  if (wrong.length > 0)
    throw new RefusedError(
      `${address} does not serve what was published:\n${wrong.slice(0, 20).join('\n')}`,
      'verification_failed',
      [{ command: `stele rollback --site ${slug}`, when: 'to make the previous deploy live again' }],
    );
  output.note(label(output, 'Verified', `${plural(count, 'file')} through ${address}`));
}

/** Returns the number of files that were fetched, and a line for each that differs. */
async function verifyFiles(address: string, files: readonly Published[], signal: AbortSignal) {
  const queue = files.filter(({ path }) => !NOT_SERVED.has(path)).reverse();
  const wrong: string[] = [];
  const work = async () => {
    for (let file = queue.pop(); file; file = queue.pop()) {
      const url = new URL(file.path.split('/').map(encodeURIComponent).join('/'), address);
      const { status, sha256 } = await fetchDigest(url, signal);
      if (status !== 200) wrong.push(`${file.path}: status ${status}`);
      else if (sha256 !== file.sha256) wrong.push(`${file.path}: different content`);
    }
  };
  const count = queue.length;
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return { count, wrong };
}

/**
 * Uses `node:http`, because `fetch` does not resolve subdomains of localhost. The sites of a local instance are on such
 * subdomains.
 */
function fetchDigest(url: URL, signal: AbortSignal): Promise<{ status: number; sha256: string }> {
  const isLocal = url.hostname.endsWith('.localhost');
  const { request } = url.protocol === 'https:' ? https : http;
  return new Promise((resolve, reject) => {
    const options = {
      signal,
      timeout: SILENCE_MS,
      headers: { host: url.host, 'accept-encoding': 'identity', 'cache-control': 'no-cache' },
      // Without an agent, Node ignores the proxy variables. A proxy could not reach this machine under a local name.
      ...(isLocal && { hostname: '127.0.0.1', agent: false }),
    };
    const sent = request(url, options, (response) => {
      const hash = createHash('sha256');
      response.on('data', (chunk: Buffer) => hash.update(chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, sha256: hash.digest('hex') }));
      response.on('error', reject);
    });
    sent.on('timeout', () => sent.destroy(new NetworkError(url.href, { code: RESPONSE_TIMEOUT })));
    sent.on('error', reject).end();
  });
}

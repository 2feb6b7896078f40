import type { ToldReply } from './service-asked.js';

/** Headers of pages and files that an upgrade must not change. */
const OF_SERVING = [
  'content-type',
  'location',
  'cache-control',
  'accept-ranges',
  'content-range',
  'x-frame-options',
  'x-robots-tag',
];

/**
 * Members of JSON responses that may differ. According to the changelog, `actorName` became `actor.name`, and
 * capabilities have new descriptions. `requestId` is different for each request.
 */
const SAID_OTHERWISE = /\.(actorName|description|requestId)$/;

/**
 * What was changed in the data before the upgrade. Times in tables are later by `ms`. `positions` is true if the events
 * were copied to another event store, where their positions may differ.
 */
export type Moved = { readonly ms: number; readonly positions: boolean };

const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** Returns the differences between a response and the recorded one. Additional members are not counted. */
export function differences(was: ToldReply, is: ToldReply, moved: Moved): string[] {
  if (isOurOwnPage(was) && was.status === is.status) return linkDifferences(was, is);
  if (was.status !== is.status) return [`${was.status} is ${is.status}: ${is.body.slice(0, 200)}`];
  const isJson = /json/.test(was.headers['content-type'] ?? '');
  const headers = isJson ? ['content-type'] : [...OF_SERVING, ...(is.status === 200 ? ['etag'] : [])];
  return [
    ...headers
      .filter((name) => was.headers[name] !== is.headers[name])
      .map((name) => `${name}: ${was.headers[name]} is ${is.headers[name]}`),
    ...(isJson
      ? jsonDifferences(was.body, is.body, moved)
      : was.body === is.body || was.status >= 400
        ? []
        : [`${was.body.slice(0, 300)} is ${is.body.slice(0, 300)}`]),
  ];
}

/** The service's own pages, such as a listing, may look different but must have the same links. */
const isOurOwnPage = ({ body }: ToldReply) => body.includes('<meta name="color-scheme"');

function linkDifferences(was: ToldReply, is: ToldReply): string[] {
  const links = ({ body }: ToldReply) => [...body.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, href]) => href);
  return links(was)
    .filter((href) => !links(is).includes(href))
    .map((href) => `no link to ${href}`);
}

function jsonDifferences(was: string, is: string, moved: Moved): string[] {
  const [before, after] = [linesOf(was), linesOf(is)];
  return before.length === after.length
    ? before.flatMap((line, n) => missing(line, after[n], '', moved))
    : [`${before.length} lines are ${after.length}`];
}

const linesOf = (text: string): unknown[] => {
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
  // Leaves out the signed last line of a history, because it contains the time of the request.
  return lines.filter((line) => !isObject(line) || !('checkpoint' in line));
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function missing(was: unknown, is: unknown, at: string, moved: Moved): string[] {
  if (Array.isArray(was) && Array.isArray(is) && was.length <= is.length)
    return was.flatMap((each, n) => missing(each, is[n], `${at}[${n}]`, moved));
  if (isObject(was) && isObject(is)) {
    const promised = Object.entries(was).filter(([name]) => !isProblem(was) || !PROBLEM_TEXTS.has(name));
    return promised.flatMap(([name, value]) => missing(value, is[name], `${at}.${name}`, moved));
  }
  return was === is || SAID_OTHERWISE.test(at) || isSummary(is, at) || isMoved(was, is, at, moved)
    ? []
    : [`${at}: ${JSON.stringify(was)} is ${JSON.stringify(is)?.slice(0, 200)}`];
}

const ID = '(?:usr|dep|job)_[0-9a-z]{26}';

/** Texts of a problem that may change between versions, because clients compare `code`. */
const PROBLEM_TEXTS = new Set(['title', 'detail', 'suggestion']);
const isProblem = (body: Record<string, unknown>) => 'code' in body && 'status' in body;

/** Summaries in the history may be reworded, but must not refer to a user, a deploy or a job only by ID. */
const isSummary = (is: unknown, at: string) =>
  at.endsWith('.summary') && typeof is === 'string' && is !== '' && !new RegExp(ID).test(is);

const isMoved = (was: unknown, is: unknown, at: string, { ms, positions }: Moved) =>
  at.endsWith('.position')
    ? positions
    : [was, is].every((each) => typeof each === 'string' && TIME.test(each)) &&
      Math.abs(Date.parse(String(is)) - Date.parse(String(was)) - ms) < 5;

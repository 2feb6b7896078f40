import type { ToldReply } from './service-asked.js';

/** An answer of the interface may say more than it did, in other words; a page and a file are what they were. */
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
 * What answers of the interface say otherwise today, each told of in the changelog: whose name stood in `actorName` has
 * it in `actor.name`, and what a capability does is said in other words. A request has an id of its own.
 */
const SAID_OTHERWISE = /\.(actorName|description|requestId)$/;

/** What is another with the data alone: times in tables, by so many milliseconds, and positions in another store. */
export type Moved = { readonly ms: number; readonly positions: boolean };

const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** How an answer differs from what was told of it before, in sentences; empty where it says all that it said. */
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

/** A page that the service makes, such as a listing, may look otherwise; it leads to the same places. */
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
  // The signed end of a history tells when it was asked for.
  return lines.filter((line) => !isObject(line) || !('checkpoint' in line));
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What an older answer says and the newer does not; what the newer says besides is no difference. */
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

/** Texts for people are no promise to clients, who compare `code`. */
const PROBLEM_TEXTS = new Set(['title', 'detail', 'suggestion']);
const isProblem = (body: Record<string, unknown>) => 'code' in body && 'status' in body;

/** The sentences of the history are worded anew now and then. None names a person, a deploy or a job by a bare ID. */
const isSummary = (is: unknown, at: string) =>
  at.endsWith('.summary') && typeof is === 'string' && is !== '' && !new RegExp(ID).test(is);

const isMoved = (was: unknown, is: unknown, at: string, { ms, positions }: Moved) =>
  at.endsWith('.position')
    ? positions
    : [was, is].every((each) => typeof each === 'string' && TIME.test(each)) &&
      Math.abs(Date.parse(String(is)) - Date.parse(String(was)) - ms) < 5;

import { readFileSync } from 'node:fs';
import type { OpenApiChecker } from '../service/openapi-checker.js';
import type { Answered } from './answer.js';
import { faultOfHead, judgedEvents } from './described-answer.js';
import type { FuzzedOperation, FuzzedRequest } from './described-requests.js';
import type { FuzzWorld } from './fuzz-world.js';

type Refusal = {
  readonly code: string;
  readonly operations?: readonly string[];
  readonly path?: string;
  readonly reason: string;
};
type Problem = { readonly code?: string; readonly errors?: readonly { readonly path: string }[] };

/** Accepted refusals of valid requests. They depend on the service's state, which an API description cannot express. */
const listed: readonly Refusal[] = JSON.parse(readFileSync('test/fuzz/refusals.json', 'utf8'));

/** Returns a response's code. Pages have no code, and neither do responses without a body. */
const codeOf = ({ status, body }: Answered) => (body as Problem).code ?? OF_PAGES[status] ?? '';
const OF_PAGES: Readonly<Record<number, string>> = {
  400: 'invalid_token',
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not_found',
  451: 'taken_down',
  503: 'unavailable',
};

const isListed = (answer: Answered, operationId: string) => {
  const path = (answer.body as Problem).errors?.[0]?.path ?? '';
  return listed.some(
    (each) =>
      each.code === codeOf(answer) &&
      (each.operations ?? [operationId]).includes(operationId) &&
      new RegExp(`^(?:${each.path ?? '.*'})$`).test(path),
  );
};

/** Operations that show mail to the developer, which may contain the links of all users. */
const FOR_THE_DEVELOPER = new Set(['outboxJson']);

/** Checks each request and response. If it finds a fault, throws an error that describes the fault. */
export class Judge {
  /** Number of accepted refusals of valid requests, by code. */
  readonly refusals = new Map<string, number>();
  readonly statuses = new Map<number, number>();
  events = 0;

  constructor(
    private readonly checker: OpenApiChecker,
    private readonly world: FuzzWorld,
  ) {}

  judge({ operationId }: FuzzedOperation, request: FuzzedRequest, answer: Answered) {
    const { status, text } = answer;
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    if (status >= 500 && !isListed(answer, operationId))
      throw new Error(`it failed with ${status}: ${text.slice(0, 400)}`);
    const path = request.url.split('?', 1)[0] ?? '/';
    // Does not check responses from sites, which the API description does not cover.
    if (!path.startsWith('/s/')) this.#expectAsDescribed(request, path, answer);
    this.#expectNoLeak(operationId, request, answer);
    if (request.isDescribed && status >= 400) this.#expectListed(operationId, answer);
  }

  #expectAsDescribed({ method }: FuzzedRequest, path: string, answer: Answered) {
    this.checker.check(method, path, answer);
    const described = this.checker.describedOf(method, path, answer.status);
    if (!described) return;
    this.events += judgedEvents(this.checker, described, answer);
    const fault = faultOfHead(this.checker, described, answer);
    if (fault) throw new Error(`${method} ${path} answered ${answer.status}, and /openapi.json knows better: ${fault}`);
  }

  #expectNoLeak(operationId: string, { actor, ...request }: FuzzedRequest, { text, headers }: Answered) {
    if (FOR_THE_DEVELOPER.has(operationId)) return;
    const sent = `${request.url}${JSON.stringify(request.headers)}${request.body}`;
    const leaks = this.world
      .leaksIn(`${text}${JSON.stringify(headers)}`, actor)
      .filter((name) => !this.world.leaksIn(sent, actor).includes(name));
    if (leaks.length > 0) throw new Error(`it tells the ${actor} ${leaks.join(', ')}: ${text.slice(0, 400)}`);
  }

  #expectListed(operationId: string, answer: Answered) {
    const code = codeOf(answer);
    if (!isListed(answer, operationId))
      throw new Error(`the description allows it, and it is refused: ${answer.text.slice(0, 600)}`);
    this.refusals.set(code, (this.refusals.get(code) ?? 0) + 1);
  }
}

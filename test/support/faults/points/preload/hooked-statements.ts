import pg from 'pg';
import { finderOf } from '../statement-patterns.ts';
import type { Step } from '../steps-in-code.js';
import { die, foundUnknown, place, type Reach, reach, steps, writes } from './reached-steps.ts';

const find = finderOf(
  steps.filter((step): step is Step & Required<Pick<Step, 'pattern' | 'length'>> => step.kind === 'sql'),
  new RegExp(writes, 'gi'),
);

/** Cache of the steps that each SQL text belongs to. */
const known = new Map<string, ReturnType<typeof find>>();
const NO_SPACE = "do $$ begin raise exception 'No space left on device' using errcode = '53100'; end $$";

function stepsOfText(text: string): ReturnType<typeof find> {
  const found = known.get(text) ?? find(text);
  known.set(text, found);
  return found;
}

function stepOf(best: readonly Step[]): string {
  const [first, ...others] = best;
  if (first === undefined) throw new Error('There is no step to choose from.');
  if (others.length === 0) return first.id;
  const { file, line } = place();
  const here = best.filter((step) => step.file === file);
  const near = here.filter(({ firstLine, lastLine }) => firstLine <= line && line <= lastLine);
  return (near[0] ?? here[0] ?? first).id;
}

type Done = (error: Error | null, result?: unknown) => void;
/** Members of pg's client that its types omit. */
type OpenClient = pg.Client & { readonly connection: pg.Connection };
type Submitted = { submit: (connection: pg.Connection) => unknown; once?: (event: 'finish', done: () => void) => void };
type Prepared = { readonly name?: string; readonly text?: string };
type Query = (this: pg.Client, config: unknown, values?: unknown, callback?: unknown) => Promise<unknown> | undefined;

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
const isPrepared = (config: unknown): config is Prepared => isObject(config);
const isSubmitted = (config: unknown): config is Submitted =>
  isObject(config) && 'submit' in config && typeof config.submit === 'function';
const isDone = (value: unknown): value is Done => typeof value === 'function';
const isOpen = (client: pg.Client): client is OpenClient => 'connection' in client;

const query: Query = Reflect.get(pg.Client.prototype, 'query');
const hookedQuery: Query = function (config, values, callback) {
  const text = typeof config === 'string' ? config : isPrepared(config) ? config.text : undefined;
  if (config instanceof pg.Query && text === '') return query.call(this, followed(config), values, callback);
  if (isPrepared(config) && config.name) prepared.set(config.name, text ?? '');
  const { isKnown, choices } = typeof text === 'string' ? stepsOfText(text) : { isKnown: true, choices: [] };
  if (!isKnown && place().file) foundUnknown(String(text).slice(0, 300));
  if (choices.length === 0) return query.call(this, config, values, callback);
  const all = choices.map((best) => reach(stepOf(best)));
  const fault = faultOf(all);
  const over = () => {
    for (const each of all) each.over();
  };

  const done = [callback, values].find(isDone);
  const given = Array.isArray(values) ? values : undefined;
  const cut = () => {
    if (isOpen(this)) this.connection.stream.destroy();
  };
  if (isSubmitted(config)) {
    config.once?.('finish', () => (fault?.what === 'die' ? die() : over()));
    if (fault && fault.what !== 'die') cut();
    return query.call(this, config, values, callback);
  }
  if (fault?.what === 'cut' && fault.when === 'before') {
    cut();
    return query.call(this, config, values, callback);
  }
  const statement = typeof config === 'string' ? { text: config, values: given } : { ...Object(config) };
  if (typeof config !== 'string' && given) statement.values = given;
  const asked = fault?.what === 'full' ? query.call(this, NO_SPACE) : query.call(this, statement);
  const answer = Promise.resolve(asked).then((result) => {
    if (fault?.what === 'die') return die();
    over();
    if (fault?.what === 'cut') {
      cut();
      throw new Error('Connection terminated unexpectedly');
    }
    return result;
  });
  if (!done) return answer;
  answer.then((result) => done(null, result), done);
  return undefined;
};
Reflect.set(pg.Client.prototype, 'query', hookedQuery);

const faultOf = (reached: readonly Reach[]) => reached.find(({ fault }) => fault !== null)?.fault ?? null;

const prepared = new Map<string, string>();
/** Steps reached by the group of prepared statements that is being sent, or null if none is being sent. */
let sending: Reach[] | null = null;

/** Hooks a query that sends a group of prepared statements by name (`src/storage/postgres/grouped-statements.ts`). */
function followed(group: pg.Query): pg.Query {
  const submit: (connection: pg.Connection) => unknown = Reflect.get(group, 'submit');
  const handleReadyForQuery: (this: object, connection: pg.Connection) => void = Reflect.get(
    group,
    'handleReadyForQuery',
  );
  let all: Reach[] = [];
  Reflect.set(group, 'submit', (connection: pg.Connection) => {
    const reachedHere: Reach[] = [];
    sending = reachedHere;
    try {
      return submit.call(group, connection);
    } finally {
      all = reachedHere;
      sending = null;
    }
  });
  Reflect.set(group, 'handleReadyForQuery', (connection: pg.Connection) => {
    const fault = faultOf(all);
    if (fault?.what === 'die') return die();
    for (const each of all) each.over();
    if (fault?.what !== 'cut') return handleReadyForQuery.call(group, connection);
    connection.stream.destroy();
    const handleError: (error: Error, connection: pg.Connection) => void = Reflect.get(group, 'handleError');
    return handleError.call(group, new Error('Connection terminated unexpectedly'), connection);
  });
  return group;
}

type Bind = (this: pg.Connection, config: { statement: string; values: unknown[] }, more: boolean) => void;
const members: object = pg.Connection.prototype;
const bind: Bind = Reflect.get(members, 'bind');
const hookedBind: Bind = function (config, more) {
  const text = sending && prepared.get(config.statement);
  const choices = text ? stepsOfText(text).choices : [];
  const reachedHere = choices.map((best) => reach(stepOf(best)));
  sending?.push(...reachedHere);
  const fault = faultOf(reachedHere);
  if (fault?.what === 'cut' && fault.when === 'before') this.stream.destroy();
  if (fault?.what !== 'full') return bind.call(this, config, more);
  this.parse({ name: '', text: NO_SPACE, types: [] }, true);
  return bind.call(this, { statement: '', values: [] }, more);
};
Reflect.set(members, 'bind', hookedBind);

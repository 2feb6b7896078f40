import pg from 'pg';
import { finderOf } from '../statement-patterns.ts';
import { die, foundUnknown, place, reach, steps, writes } from './reached-steps.mjs';

const find = finderOf(
  steps.filter(({ kind }) => kind === 'sql'),
  new RegExp(writes, 'gi'),
);

/** By its text, what was found of a statement. */
const known = new Map();
const NO_SPACE = "do $$ begin raise exception 'No space left on device' using errcode = '53100'; end $$";

function stepsOfText(text) {
  const found = known.get(text) ?? find(text);
  known.set(text, found);
  return found;
}

function stepOf(best) {
  if (best.length === 1) return best[0].id;
  const { file, line } = place();
  const here = best.filter((step) => step.file === file);
  const near = here.filter(({ firstLine, lastLine }) => firstLine <= line && line <= lastLine);
  return (near[0] ?? here[0] ?? best[0]).id;
}

const { query } = pg.Client.prototype;
pg.Client.prototype.query = function (config, values, callback) {
  const text = typeof config === 'string' ? config : config?.text;
  if (config instanceof pg.Query && text === '') return query.call(this, followed(config), values, callback);
  if (config?.name) prepared.set(config.name, text);
  const { isKnown, choices } = typeof text === 'string' ? stepsOfText(text) : { isKnown: true, choices: [] };
  if (!isKnown && place().file) foundUnknown(text.slice(0, 300));
  if (choices.length === 0) return query.call(this, config, values, callback);
  const all = choices.map((best) => reach(stepOf(best)));
  const fault = all.find((each) => each.fault !== null)?.fault ?? null;
  const over = () => {
    for (const each of all) each.over();
  };

  const done = [callback, values].find((each) => typeof each === 'function');
  const given = Array.isArray(values) ? values : undefined;
  const cut = () => this.connection.stream.destroy();
  if (typeof config?.submit === 'function') {
    config.once?.('finish', () => (fault?.what === 'die' ? die() : over()));
    if (fault && fault.what !== 'die') cut();
    return query.call(this, config, values, callback);
  }
  if (fault?.what === 'cut' && fault.when === 'before') {
    cut();
    return query.call(this, config, values, callback);
  }
  const asked =
    fault?.what === 'full'
      ? query.call(this, NO_SPACE)
      : query.call(
          this,
          typeof config === 'string' ? { text: config, values: given } : { ...config, ...(given && { values: given }) },
        );
  const answer = asked.then((result) => {
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

/** By its name, the text of what was prepared. */
const prepared = new Map();
/** Of a group of prepared statements, while it is sent, what its steps have to say. */
let sending = null;

/** A group of prepared statements that are sent by their names alone (`src/storage/postgres/statement-group.ts`). */
function followed(group) {
  const { submit, handleReadyForQuery } = group;
  let all = [];
  group.submit = (connection) => {
    sending = [];
    try {
      return submit.call(group, connection);
    } finally {
      all = sending;
      sending = null;
    }
  };
  group.handleReadyForQuery = function (connection) {
    const fault = all.find((each) => each.fault !== null)?.fault;
    if (fault?.what === 'die') return die();
    for (const each of all) each.over();
    if (fault?.what !== 'cut') return handleReadyForQuery.call(this, connection);
    connection.stream.destroy();
    return this.handleError(new Error('Connection terminated unexpectedly'), connection);
  };
  return group;
}

const { bind } = pg.Connection.prototype;
pg.Connection.prototype.bind = function (config, more) {
  const text = sending && prepared.get(config.statement);
  const { choices } = text ? stepsOfText(text) : { choices: [] };
  const reachedHere = choices.map((best) => reach(stepOf(best)));
  sending?.push(...reachedHere);
  const fault = reachedHere.find((each) => each.fault !== null)?.fault;
  if (fault?.what === 'cut' && fault.when === 'before') this.stream.destroy();
  if (fault?.what !== 'full') return bind.call(this, config, more);
  this.parse({ name: '', text: NO_SPACE, types: [] }, true);
  return bind.call(this, { statement: '', values: [] }, more);
};

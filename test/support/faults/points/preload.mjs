// Preloaded into a service that is not bundled: each durable step of the code can end the process, or fail, and says that
// it was reached. What the steps are is in the file that STELE_TEST_STEPS names (`steps-in-code.ts`); at the socket
// STELE_TEST_FAULT_POINTS a test says what happens, a line of JSON each: `{"begin": [fault]}` begins to count anew,
// `{"giveRoom": true}` ends faults, and any line is answered by what was reached since. Nothing of this is in the product.

import childProcess from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import fs from 'node:fs/promises';
import http from 'node:http';
import https from 'node:https';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import tls from 'node:tls';
import pg from 'pg';

const { steps } = JSON.parse(readFileSync(process.env.STELE_TEST_STEPS, 'utf8'));
const statements = steps
  .filter(({ kind }) => kind === 'sql')
  .map((step) => ({ ...step, found: new RegExp(step.pattern) }));
const WRITES = new RegExp(JSON.parse(readFileSync(process.env.STELE_TEST_STEPS, 'utf8')).writes, 'gi');

/** The faults that wait, those of the start first, and what was reached, in order. */
let faults = JSON.parse(process.env.STELE_TEST_FAULT ?? '[]');
let reached = [];
const unknown = [];
const counts = new Map();

const die = () => process.kill(process.pid, 'SIGKILL');

const OURS = new RegExp(`${process.cwd()}/(src/[\\w./-]+\\.ts):(\\d+)`);

/** Where in our code we are: the innermost line of it. */
function place() {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 40;
  const { stack } = new Error('here');
  Error.stackTraceLimit = limit;
  const [, file = '', line = '0'] = OURS.exec(stack) ?? [];
  return { file, line: Number(line) };
}

/** Says that a step was reached; answers what is to happen there, if anything, and what says that it is over. */
function reach(id) {
  const n = (counts.get(id) ?? 0) + 1;
  counts.set(id, n);
  const step = { id, n, isLast: false };
  reached.push(step);
  for (const each of ending) each.isLast = false;
  ending = [];
  const fault =
    faults.find((each) => !each.isOver && each.id === id && (each.always ? n >= each.n : each.n === n)) ?? null;
  if (fault) fault.fired = true;
  if (fault?.what === 'die' && fault.when === 'before') die();
  const over = () => {
    step.isLast = true;
    ending.push(step);
  };
  return { fault, over };
}

/** What has ended since a step was reached last: the moment after it is not the moment before another. */
let ending = [];

// Statements ----------------------------------------------------------------------------------------------------------

const known = new Map();
const NO_SPACE = "do $$ begin raise exception 'No space left on device' using errcode = '53100'; end $$";

/** The steps of a text: of each of its writes the longest literal that has it. */
function stepsOfText(text) {
  const kept = known.get(text);
  if (kept) return kept;
  const flat = text.trim().replace(/\s+/g, ' ');
  const fits = statements.map((step) => ({ step, match: step.found.exec(flat) })).filter(({ match }) => match);
  const chosen = new Map();
  let isKnown = true;
  for (const { index } of flat.matchAll(WRITES)) {
    const around = fits.filter(({ match }) => match.index <= index && index < match.index + match[0].length);
    const longest = Math.max(...around.map(({ step }) => step.length));
    const best = around.filter(({ step }) => step.length === longest).map(({ step }) => step);
    if (best.length === 0) isKnown = false;
    chosen.set(best.map(({ id }) => id).join(), best);
  }
  const found = { isKnown, choices: [...chosen.values()].filter((best) => best.length > 0) };
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
  if (!isKnown && place().file) unknown.push(text.slice(0, 300));
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

/** A group of prepared statements that are sent by their names alone (`src/postgres/statement-group.ts`). */
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

// Files ---------------------------------------------------------------------------------------------------------------

const calls = new Map();
for (const step of steps) if (step.call) calls.set(step.call, [...(calls.get(step.call) ?? []), step]);

/** The step that a call is, by where it is called from; null where that is not our code. */
function calledStep(call) {
  const { file, line } = place();
  if (!file) return null;
  const here = (calls.get(call) ?? []).filter((step) => step.file === file);
  const near = here.find(({ firstLine, lastLine }) => firstLine <= line && line <= lastLine);
  const id = (near ?? (here.length === 1 ? here[0] : null))?.id;
  if (id === undefined) unknown.push(`${call} at ${file}:${line}`);
  return id ?? null;
}

const errorOf = (code, syscall) => Object.assign(new Error(`${code}: ${syscall}`), { code, errno: -1, syscall });

function hookFiles(object, name, call, { isStep = () => true, half = null } = {}) {
  const original = object[name];
  object[name] = function (...given) {
    const id = isStep(given) ? calledStep(call) : null;
    if (id === null) return original.apply(this, given);
    const { fault, over } = reach(id);
    const failed = () => Promise.reject(errorOf('ENOSPC', name));
    if (fault && fault.what !== 'die') return half ? half.call(this, original, given).then(failed) : failed();
    return original.apply(this, given).then((result) => {
      if (fault) die();
      over();
      return result;
    });
  };
}

const opensToMake = ([, flags]) => typeof flags === 'number' || /[wa]/.test(flags ?? 'r');
for (const call of [
  'appendFile',
  'copyFile',
  'link',
  'mkdir',
  'rename',
  'rm',
  'rmdir',
  'symlink',
  'truncate',
  'unlink',
  'writeFile',
])
  hookFiles(fs, call, call);
hookFiles(fs, 'open', 'open', { isStep: opensToMake });

const file = await fs.open('/dev/null');
const FileHandle = Object.getPrototypeOf(file);
await file.close();
/** A disk that is full takes a part of what is written. */
const halfOf = {
  writev(original, [pieces, at]) {
    const [first] = pieces;
    return original.call(this, [first.subarray(0, Math.ceil(first.length / 2))], at);
  },
  write(original, [bytes, from = 0, length = bytes.length - from, at]) {
    return original.call(this, bytes, from, Math.ceil(length / 2), at);
  },
};
for (const call of ['appendFile', 'datasync', 'sync', 'truncate', 'write', 'writeFile', 'writev'])
  hookFiles(FileHandle, call, `file.${call}`, { half: halfOf[call] ?? null });

// What is asked of others ---------------------------------------------------------------------------------------------

const reset = () => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', errno: -104, syscall: 'read' });

/** Of a function that answers a promise. */
function hookPromised(object, name, fault) {
  const original = object[name];
  object[name] = function (...given) {
    const id = calledStep(name);
    if (id === null) return original.apply(this, given);
    const { fault: armed, over } = reach(id);
    if (armed?.what === 'cut' && armed.when === 'before') return Promise.reject(fault());
    return original.apply(this, given).then((result) => {
      if (armed?.what === 'die') die();
      over();
      if (armed) throw fault();
      return result;
    });
  };
}

/** Of a function that answers something with a connection, which says `answered` when there is an answer. */
function hookConnecting(object, name, answered, cut) {
  const original = object[name];
  object[name] = function (...given) {
    const id = calledStep(name);
    if (id === null) return original.apply(this, given);
    const { fault, over } = reach(id);
    const made = original.apply(this, given);
    if (fault?.what === 'cut' && fault.when === 'before') cut(made);
    made.prependOnceListener(answered, () => {
      if (fault?.what === 'die') die();
      over();
      if (fault) cut(made);
    });
    return made;
  };
}

hookPromised(globalThis, 'fetch', () => new TypeError('fetch failed', { cause: reset() }));
for (const from of [http, https]) hookConnecting(from, 'request', 'response', (made) => made.destroy(reset()));
hookConnecting(tls, 'connect', 'secureConnect', (made) => made.destroy(reset()));
for (const name of ['spawn', 'execFile']) hookConnecting(childProcess, name, 'exit', (made) => made.kill('SIGKILL'));
const Mailer = createRequire(import.meta.url)('nodemailer/lib/mailer');
hookPromised(Mailer.prototype, 'sendMail', () =>
  Object.assign(new Error('Connection closed'), { code: 'ECONNECTION' }),
);
syncBuiltinESMExports();

// What a test says ----------------------------------------------------------------------------------------------------

const address = process.env.STELE_TEST_FAULT_POINTS;
if (existsSync(address)) rmSync(address);
createServer((socket) => {
  socket.unref();
  socket.on('error', () => undefined);
  createInterface(socket).on('line', (line) => {
    const { begin, giveRoom } = JSON.parse(line);
    if (giveRoom) for (const each of faults) each.isOver = true;
    if (begin) {
      faults = begin;
      counts.clear();
      reached = [];
      ending = [];
    }
    socket.write(`${JSON.stringify({ reached, unknown, faults })}\n`);
  });
})
  .listen(address)
  .unref();

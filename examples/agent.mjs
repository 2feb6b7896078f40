#!/usr/bin/env node
// An agent: takes the work that a site hands out, does it here, and sends the answer back. It calls and is never
// called, so it runs behind any firewall. Node 20 or later, and nothing else:
//
//   STELE_URL=http://localhost:3000 STELE_CONNECTOR_TOKEN=stele_connector_… node agent.mjs

import { setTimeout as delay } from 'node:timers/promises';

/** An error whose message the page is told; of any other it is told only that the work failed. */
class Refused extends Error {}

/**
 * YOUR WORK GOES HERE. `input` is what the page sent: whatever JSON can say, and strangers may have sent it. What is
 * returned is the answer; `partial` sends a part of it beforehand. It may be called again for the same `id`, by a lease
 * that ran out: remember the ids of what must not be done twice.
 */
async function work(input, { id, partial }) {
  if (input === null) throw new Refused('Send me something.');
  await partial(`Looking at ${id}`);
  return { youSent: input };
}

// ---- What follows is the same for every agent. ----

/** A poll is answered within 25 s: what takes longer than this is a network that swallows everything. */
const SILENT_MS = 40_000;
/** As long as a lease: a result that could not be delivered by then is another agent's to give. */
const DELIVERED_WITHIN_MS = 60_000;
const LONGEST_PAUSE_MS = 30_000;

const { STELE_URL, STELE_CONNECTOR_TOKEN } = process.env;
if (!STELE_URL || !STELE_CONNECTOR_TOKEN) end('Set STELE_URL and STELE_CONNECTOR_TOKEN.');

let isStopping = false;
let waiting = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => {
    isStopping = true;
    waiting.abort();
  });

while (!isStopping) {
  const answer = await ask('poll?wait=25');
  if (answer?.status === 200) await handle(answer.body);
  else if (answer && answer.status !== 204) end(`The service said ${answer.status}: ${answer.body?.detail}`);
}

async function handle({ id, input, attempt }) {
  // By the attempt a late result of ours is told from that of another agent with the same token.
  const send = (body) => ask(`result/${id}`, body);
  const failed = (message) => JSON.stringify({ attempt, error: { message } });
  const partial = async (output) => {
    const answer = await send(JSON.stringify({ attempt, partial: true, output }));
    if (answer?.status !== 200) throw new Error(`A part was not taken: ${answer?.body?.code}`);
  };
  let result;
  try {
    result = JSON.stringify({ attempt, output: (await work(input, { id, partial })) ?? null });
  } catch (error) {
    console.error(id, error);
    result = failed(error instanceof Refused ? error.message : 'The agent failed.');
  }
  const answer = await send(result);
  console.log(id, answer?.status === 200 ? 'done' : (answer?.body?.code ?? 'could not be delivered'));
  // 409 is a lease that ran out, 404 work that is no more. Any other refusal is about the answer, such as its size.
  if (answer && ![200, 404, 409].includes(answer.status)) await send(failed('The answer of the agent was refused.'));
}

/** Polls, or posts a body; again and again while the service is away or busy. Null when that was in vain. */
async function ask(path, body) {
  const enough = body ? Date.now() + DELIVERED_WITHIN_MS : Infinity;
  for (let pause = 500; Date.now() < enough; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    if (isStopping && !body) return null;
    const cut = new AbortController();
    if (!body) waiting = cut;
    const timer = setTimeout(() => cut.abort(), SILENT_MS);
    let ms = pause * (0.5 + Math.random());
    try {
      const answer = await fetch(new URL(`/v1/connector/${path}`, STELE_URL), {
        method: body ? 'POST' : 'GET',
        headers: {
          authorization: `Bearer ${STELE_CONNECTOR_TOKEN}`,
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body }),
        signal: cut.signal,
      });
      const text = await answer.text();
      if (answer.status === 401) end('The service does not know this token (any more).');
      if (answer.status !== 429 && answer.status < 500)
        return { status: answer.status, body: text ? JSON.parse(text) : null };
      ms = Math.max(ms, 1_000 * Number(answer.headers.get('retry-after') ?? 0));
      console.error(`The service said ${answer.status}; again in ${Math.round(ms / 1_000)} s.`);
    } catch (error) {
      if (!isStopping) console.error(`${error.cause?.code ?? error.message}; again in ${Math.round(ms / 1_000)} s.`);
    } finally {
      clearTimeout(timer);
    }
    await delay(ms, null, body ? {} : { signal: cut.signal }).catch(() => {});
  }
  return null;
}

function end(why) {
  console.error(why);
  process.exit(1);
}

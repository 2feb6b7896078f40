#!/usr/bin/env node
// An agent: polls a site for work, does the work on this machine, and sends back the result. It only makes outgoing
// requests, so it works behind any firewall. It needs Node 20 or later and nothing else:
//
//   STELE_URL=http://localhost:3000 STELE_CONNECTOR_TOKEN=stele_connector_… node agent.mjs

import { setTimeout as delay } from 'node:timers/promises';

/** An error whose message is sent to the page. For any other error, the page only learns that the work failed. */
class Refused extends Error {}

/**
 * YOUR WORK GOES HERE. `input` is what the page sent: any JSON value, and it may come from anyone. Return the result;
 * call `partial` to send a part of it in advance. It may be called again for the same `id` after a lease has expired:
 * remember the IDs of work that must not be done twice.
 */
async function work(input, { id, partial }) {
  if (input === null) throw new Refused('Send me something.');
  await partial(`Looking at ${id}`);
  return { youSent: input };
}

// ---- What follows is the same for every agent. ----

/** A poll is answered within 25 s, so anything longer than this means that the network drops packets. */
const SILENT_MS = 40_000;
/** The length of a lease: after that, another agent has the work. */
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
  else if (answer && answer.status !== 204) end(`The service returned ${answer.status}: ${answer.body?.detail}`);
}

async function handle({ id, input, attempt }) {
  // The attempt distinguishes a late result of this agent from the result of another agent with the same token.
  const send = (body) => ask(`result/${id}`, body);
  const failed = (message) => JSON.stringify({ attempt, error: { message } });
  const partial = async (output) => {
    const answer = await send(JSON.stringify({ attempt, partial: true, output }));
    if (answer?.status !== 200) throw new Error(`A partial result was rejected: ${answer?.body?.code}`);
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
  // 409: the lease has expired. 404: the work no longer exists. Any other error is about the result, such as its size.
  if (answer && ![200, 404, 409].includes(answer.status)) await send(failed('The result of the agent was rejected.'));
}

/** Polls, or posts a body, and retries while the service is unavailable or busy. Null without a response. */
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
      if (answer.status === 401) end('The connector token is unknown or was revoked.');
      if (answer.status !== 429 && answer.status < 500)
        return { status: answer.status, body: text ? JSON.parse(text) : null };
      ms = Math.max(ms, 1_000 * Number(answer.headers.get('retry-after') ?? 0));
      console.error(`The service returned ${answer.status}; retrying in ${Math.round(ms / 1_000)} s`);
    } catch (error) {
      if (!isStopping) console.error(`${error.cause?.code ?? error.message}; retrying in ${Math.round(ms / 1_000)} s`);
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

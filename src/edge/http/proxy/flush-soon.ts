import type { AnswerSink } from './answer-sink.js';

/** How long a head waits for its body, in milliseconds. Many a program writes both one after the other. */
const WAIT_MS = 1;

const waiting = new Set<AnswerSink>();

/** Sends the head of an answer by itself where nothing of its body follows at once: together they are one write, and one packet. */
export function flushSoon(sink: AnswerSink) {
  if (waiting.size === 0) setTimeout(flushAll, WAIT_MS);
  waiting.add(sink);
}

function flushAll() {
  const sinks = [...waiting];
  waiting.clear();
  for (const sink of sinks) sink.flush();
}

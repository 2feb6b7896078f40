import type { AnswerSink } from './answer-sink.js';

/**
 * Time for which a head waits for its body, in milliseconds. Many servers write the two separately, one right after the
 * other.
 */
const WAIT_MS = 1;

const waiting = new Set<AnswerSink>();

/**
 * Sends the head of a response by itself if no part of the body follows immediately. Together they are one write and
 * one packet.
 */
export function flushSoon(sink: AnswerSink) {
  if (waiting.size === 0) setTimeout(flushAll, WAIT_MS);
  waiting.add(sink);
}

function flushAll() {
  const sinks = [...waiting];
  waiting.clear();
  for (const sink of sinks) sink.flush();
}

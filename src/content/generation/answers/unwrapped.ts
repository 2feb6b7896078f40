/** The end of what some models think aloud before they answer. */
const THOUGHT = '</think>';
const FENCE = '```';

/**
 * The document in an answer: without thoughts before it, a code fence around it, and words around that. What is no
 * document comes back as it is, for `documentFault` to say so.
 */
export function unwrapped(answer: string): string {
  const text = withoutThought(answer).trim();
  if (startsAsDocument(text)) return withoutLastFence(text);
  const start = text.indexOf(FENCE);
  if (start < 0) return text;
  const lineEnd = text.indexOf('\n', start);
  const inside = lineEnd < 0 ? '' : text.slice(lineEnd + 1);
  const end = inside.lastIndexOf(FENCE);
  const document = inside.slice(0, Math.max(end, 0)).trim();
  const around = text.slice(0, start) + inside.slice(end + FENCE.length);
  // Markup outside of the fence, or a second one: then it is not clear which is the page.
  return end >= 0 && startsAsDocument(document) && !/[<`]/.test(around) ? document : text;
}

export const startsAsDocument = (text: string) => /^<!doctype\s+html\s*>/i.test(text.slice(0, 200));

function withoutThought(answer: string): string {
  const text = answer.trimStart();
  if (!text.startsWith('<think>')) return answer;
  const end = text.indexOf(THOUGHT);
  return end < 0 ? text : text.slice(end + THOUGHT.length);
}

/** Of a fence whose beginning the model has left out. */
const withoutLastFence = (text: string) => (text.endsWith(FENCE) ? text.slice(0, -FENCE.length).trimEnd() : text);

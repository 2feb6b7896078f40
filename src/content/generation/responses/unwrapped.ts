/** Tag that ends the reasoning that some models output before their response. */
const THOUGHT = '</think>';
const FENCE = '```';

/**
 * Removes reasoning, a code fence, and the text around the fence from a model’s response. A response without a document
 * is returned unchanged, so that `documentFault` reports it.
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
  // If there is markup outside of the fence or a second fence, it is unclear which part is the page.
  return end >= 0 && startsAsDocument(document) && !/[<`]/.test(around) ? document : text;
}

export const startsAsDocument = (text: string) => /^<!doctype\s+html\s*>/i.test(text.slice(0, 200));

function withoutThought(answer: string): string {
  const text = answer.trimStart();
  if (!text.startsWith('<think>')) return answer;
  const end = text.indexOf(THOUGHT);
  return end < 0 ? text : text.slice(end + THOUGHT.length);
}

/** Removes a closing fence if the model left out the opening one. */
const withoutLastFence = (text: string) => (text.endsWith(FENCE) ? text.slice(0, -FENCE.length).trimEnd() : text);

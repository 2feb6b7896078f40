import {
  type DefaultTreeAdapterMap,
  type DefaultTreeAdapterTypes,
  Parser,
  type Token,
  type DefaultTreeAdapterTypes as Tree,
} from 'parse5';
import { formatBytes } from '../../../kernel/output/quantities.js';
import { isUnclosed } from '../documents/unclosed.js';
import { outsideFault } from './outside-fault.js';
import { startsAsDocument } from './unwrapped.js';

/**
 * Parse errors after which it is unclear what the page contains. Other errors are accepted, because all browsers repair
 * them in the same way. Duplicate tags are found by counting, because the parser ignores them without an error.
 */
const BROKEN = /^(?:eof-|missing-doctype|non-conforming-doctype|surrogate-|noncharacter-|control-|unexpected-null)/;

function parseCounting(text: string) {
  let broken: string | null = null;
  const parser = new CountingParser({
    sourceCodeLocationInfo: true,
    onParseError: ({ code }) => {
      if (BROKEN.test(code)) broken ??= code;
    },
  });
  parser.tokenizer.write(text, true);
  const document: DefaultTreeAdapterTypes.Document = parser.document;
  return { document, broken: broken as string | null, counts: parser.counts, end: parser.end ?? text.length };
}

class CountingParser extends Parser<DefaultTreeAdapterMap> {
  /** Number of occurrences of each tag. */
  readonly counts = new Map<string, number>();
  /** Offset of the end of the first `</html>`, in characters. */
  end: number | null = null;

  override onDoctype(token: Token.DoctypeToken): void {
    this.#count('<!doctype>');
    super.onDoctype(token);
  }

  override onStartTag(token: Token.TagToken): void {
    this.#count(`<${token.tagName}>`);
    super.onStartTag(token);
  }

  override onEndTag(token: Token.TagToken): void {
    this.#count(`</${token.tagName}>`);
    if (token.tagName === 'html') this.end ??= token.location?.endOffset ?? null;
    super.onEndTag(token);
  }

  #count = (tag: string) => void this.counts.set(tag, (this.counts.get(tag) ?? 0) + 1);
}

/** The reason why a model’s output is not offered as a page. `refused` means that the model replied in prose. */
export type DocumentFault = { readonly kind: 'refused' | 'incomplete'; readonly detail: string };

/** Maximum size of a page written by a model. */
const MAX_BYTES = 524_288;

/**
 * Maximum nesting depth. Real pages are not nested this deep, and functions that process the page later recurse once
 * per level.
 */
const DEEPEST = 200;

/** Tags that must occur exactly once in a page. */
const ONCE = ['<!doctype>', '<html>', '<head>', '<body>', '</body>', '</html>'];

/**
 * Checks that a string is one complete HTML page without active content from hosts other than `scriptHosts`. Returns
 * the problem, or null if there is none.
 */
export function documentFault(text: string, scriptHosts: ReadonlySet<string>): DocumentFault | null {
  if (!/<[a-z!]/i.test(text)) return { kind: 'refused', detail: 'The model responded with text instead of a page.' };
  const detail = wholenessFault(text) ?? outsideFault(text, scriptHosts);
  return detail === null ? null : { kind: 'incomplete', detail };
}

function wholenessFault(text: string): string | null {
  if (Buffer.byteLength(text) > MAX_BYTES) return `The page is larger than ${formatBytes(MAX_BYTES)}.`;
  if (!startsAsDocument(text)) return 'The response does not start with <!doctype html>.';
  const { document, broken, counts, end } = parseCounting(text);
  if (broken !== null) return `The page is not valid HTML (${broken}).`;
  for (const tag of ONCE) {
    const count = counts.get(tag) ?? 0;
    if (count === 0) return `The page has no ${tag} and may be incomplete.`;
    if (count > 1) return `The page contains ${tag} ${count} times instead of once.`;
  }
  if (text.slice(end).trim() !== '') return 'There is content after the end of the page.';
  const html = document.childNodes.find((node) => node.nodeName === 'html') as Tree.Element;
  const head = childOf(html, 'head');
  const body = childOf(html, 'body');
  if (!head || !body) return 'The page has no <head> or no <body>.';
  const title = childOf(head, 'title');
  if (!title || textOf(title).trim() === '') return 'The page has no title.';
  if (!body.childNodes.some((node) => 'tagName' in node || textOf(node).trim() !== '')) return 'The page is empty.';
  return unclosedFault(html, text);
}

function unclosedFault(html: Tree.Element, text: string): string | null {
  const waiting: { element: Tree.Element; depth: number }[] = [{ element: html, depth: 1 }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { element, depth } = next;
    if (depth > DEEPEST) return `The page is nested more than ${DEEPEST} levels deep.`;
    if (isUnclosed(element, text)) return `The page has a <${element.tagName}> that is not closed.`;
    const content = element.nodeName === 'template' ? (element as Tree.Template).content : element;
    for (const child of content.childNodes) if ('tagName' in child) waiting.push({ element: child, depth: depth + 1 });
  }
  return null;
}

const childOf = (parent: Tree.Element, name: string) =>
  parent.childNodes.find((node): node is Tree.Element => node.nodeName === name);

const textOf = (node: Tree.ChildNode): string =>
  node.nodeName === '#text'
    ? (node as Tree.TextNode).value
    : 'childNodes' in node
      ? node.childNodes.map(textOf).join('')
      : '';

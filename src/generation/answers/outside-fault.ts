import { parse, type DefaultTreeAdapterTypes as Tree } from 'parse5';

/** What in a page makes browsers run, embed or send something elsewhere; null if nothing does. For people. */
export function outsideFault(text: string, scriptHosts: ReadonlySet<string>): string | null {
  // What is in <noscript> is text to the one kind of browser and a part of the page to the other.
  return faultIn(parse(text), scriptHosts) ?? faultIn(parse(text, { scriptingEnabled: false }), scriptHosts);
}

const HERE = 'https://here.invalid';

/** Documents in the page, which would have to be looked at like the page itself. */
const FRAMES = new Set(['iframe', 'frame', 'object', 'embed', 'portal', 'fencedframe', 'applet']);

/** Kinds of `<link>` by which something is loaded that runs, or that says how the page looks. */
const LOADING = new Set(['stylesheet', 'modulepreload', 'preload', 'prefetch', 'prerender', 'import', 'manifest']);

function faultIn(document: Tree.Document, scriptHosts: ReadonlySet<string>): string | null {
  const waiting: Tree.ChildNode[] = [...document.childNodes];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if (!('tagName' in node)) continue;
    const fault = elementFault(node, scriptHosts);
    if (fault !== null) return fault;
    waiting.push(
      ...node.childNodes,
      ...(node.nodeName === 'template' ? (node as Tree.Template).content.childNodes : []),
    );
  }
  return null;
}

function elementFault(element: Tree.Element, scriptHosts: ReadonlySet<string>): string | null {
  const { tagName } = element;
  const value = (name: string) => element.attrs.find((attribute) => attribute.name === name)?.value ?? null;
  const words = (name: string) => (value(name) ?? '').toLowerCase().trim().split(/\s+/);
  const isAllowed = (address: string | null) => address === null || isHereOr(address, scriptHosts);

  if (tagName === 'base') return 'The page has a <base>, which changes the meaning of all its relative URLs.';
  if (tagName === 'meta' && words('http-equiv').includes('refresh'))
    return 'The page redirects visitors (meta refresh).';
  if (FRAMES.has(tagName)) {
    if (value('srcdoc') !== null) return `The page embeds another page (<${tagName} srcdoc>).`;
    for (const name of ['src', 'data', 'code', 'codebase'])
      if (!isHere(value(name))) return `The page embeds content from another host (<${tagName}>).`;
  }
  if (tagName === 'script') {
    for (const name of ['src', 'href'])
      if (!isAllowed(value(name))) return `The page loads a script from another host: ${hostOf(value(name))}.`;
    const imported = importedIn(element).find((address) => !isAllowed(address));
    if (imported !== undefined)
      return `A script on the page imports another one from another host: ${hostOf(imported)}.`;
  }
  if (tagName === 'link' && words('rel').some((rel) => LOADING.has(rel)) && !isAllowed(value('href')))
    return `The page loads a style sheet or script from another host: ${hostOf(value('href'))}.`;
  if (tagName === 'style') {
    const imported = importedIn(element).find((address) => !isAllowed(address));
    if (imported !== undefined) return `The page loads a style sheet from another host: ${hostOf(imported)}.`;
  }
  for (const name of ['action', 'formaction'])
    if (!isHere(value(name)) && !/^\s*mailto:/i.test(value(name) ?? ''))
      return `A form on the page sends its data to another host: ${hostOf(value(name))}.`;
  return null;
}

const isHere = (address: string | null) => address === null || isHereOr(address, new Set());

function isHereOr(address: string, hosts: ReadonlySet<string>): boolean {
  const url = URL.parse(address, `${HERE}/`);
  if (url === null) return false;
  return url.origin === HERE || (url.protocol === 'https:' && hosts.has(url.hostname));
}

/** What a script imports by an address that stands in it. One that it puts together while it runs is not seen. */
const IN_SCRIPTS = /\b(?:import|importScripts|from)\s{0,20}\(?\s{0,20}["'`]([^"'`]{1,500})["'`]/g;
const IN_STYLES = /@import\s{0,20}(?:url\(\s{0,20})?["']?([^"')\s;]{1,500})/gi;

const importedIn = (element: Tree.Element): string[] =>
  [...textIn(element).matchAll(element.tagName === 'style' ? IN_STYLES : IN_SCRIPTS)].flatMap(
    ([, address]) => address ?? [],
  );

const textIn = (element: Tree.Element) =>
  element.childNodes.map((node) => (node.nodeName === '#text' ? (node as Tree.TextNode).value : '')).join('');

const hostOf = (address: string | null) =>
  URL.parse(address ?? '', `${HERE}/`)?.hostname.slice(0, 100) || 'a URL without a host';

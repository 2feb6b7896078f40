import { parse, type DefaultTreeAdapterTypes as Tree } from 'parse5';

/**
 * Describes, for people, the first thing in a page that makes browsers run, embed or send something elsewhere. Returns
 * null if there is none.
 */
export function outsideFault(text: string, scriptHosts: ReadonlySet<string>): string | null {
  // Browsers with scripting treat the content of <noscript> as text, and browsers without it as part of the page.
  return faultIn(parse(text), scriptHosts) ?? faultIn(parse(text, { scriptingEnabled: false }), scriptHosts);
}

const HERE = 'https://here.invalid';

/** Elements that embed another document, which would have to be checked like the page itself. */
const FRAMES = new Set(['iframe', 'frame', 'object', 'embed', 'portal', 'fencedframe', 'applet']);

/** Values of `<link rel>` that load code or style sheets. */
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
    const type = words('type').join('');
    if (RESOURCE_MAPS.has(type)) return `The page has a <script type="${type}">, which changes what it loads.`;
    for (const name of ['src', 'href'])
      if (!isAllowed(value(name))) return `The page loads a script from another host: ${hostOf(value(name))}.`;
    const imported = importedIn(textIn(element)).find((address) => !isAllowed(address));
    if (imported !== undefined) return `A script on the page imports a module from another host: ${hostOf(imported)}.`;
  }
  if (tagName === 'link' && words('rel').some((rel) => LOADING.has(rel)) && !isAllowed(value('href')))
    return `The page loads a style sheet or script from another host: ${hostOf(value('href'))}.`;
  if (tagName === 'style') {
    const imported = importedByStyle(textIn(element)).find((address) => !isAllowed(address));
    if (imported !== undefined) return `The page loads a style sheet from another host: ${hostOf(imported)}.`;
  }
  for (const name of ['action', 'formaction'])
    if (!isHere(value(name)) && !/^\s*mailto:/i.test(value(name) ?? ''))
      return `A form on the page sends its data to another host: ${hostOf(value(name))}.`;
  return attributesFault(element, isAllowed);
}

/** Checks the attributes of every element, because SVG elements can also contain scripts. */
function attributesFault({ tagName, attrs }: Tree.Element, isAllowed: (address: string) => boolean): string | null {
  for (const { name, value } of attrs) {
    const where = `(<${tagName} ${name}>)`;
    // The URL parser drops tabs, line breaks and leading spaces, as browsers do.
    if (ADDRESSES.has(name) && RUNNING.has(URL.parse(value)?.protocol ?? ''))
      return `The page has a link that runs code ${where}.`;
    // An SVG animation can set such a link on an element later.
    if (ANIMATED.has(name) && value.split(';').some((each) => RUNNING.has(URL.parse(each)?.protocol ?? '')))
      return `The page has an animation that runs code ${where}.`;
    if (name.startsWith('on') && importedIn(value).some((address) => !isAllowed(address)))
      return `An event handler on the page imports a script from another host ${where}.`;
  }
  return null;
}

const isHere = (address: string | null) => address === null || isHereOr(address, new Set());

function isHereOr(address: string, hosts: ReadonlySet<string>): boolean {
  const url = URL.parse(address, `${HERE}/`);
  if (url === null) return false;
  return url.origin === HERE || (url.protocol === 'https:' && hosts.has(url.hostname));
}

/** Types of `<script>` that change what a browser loads, and from where. */
const RESOURCE_MAPS = new Set(['importmap', 'speculationrules', 'webbundle']);

const ADDRESSES = new Set([
  'href',
  'xlink:href',
  'src',
  'action',
  'formaction',
  'data',
  'ping',
  'background',
  'poster',
]);
const ANIMATED = new Set(['to', 'from', 'values', 'by']);
const RUNNING = new Set(['javascript:', 'vbscript:']);

/** Finds imports whose address is a literal in the script. An address that is computed at run time is not detected. */
const IN_SCRIPTS = /\b(?:import|importScripts|from)\s{0,20}\(?\s{0,20}["'`]([^"'`]{1,500})["'`]/g;
const AFTER_IMPORT = /^\s*(?:url\(\s*)?["']?([^"')\s;]{1,500})/i;

const importedIn = (script: string): string[] =>
  [...script.matchAll(IN_SCRIPTS)].flatMap(([, address]) => address ?? []);

/**
 * Returns the addresses that a style sheet imports. Counts every `@import`, even in comments and strings, because only
 * a CSS parser could tell where those begin. Escapes can represent any character (CSS Syntax, 4.3.7), and comments can
 * replace spaces.
 */
const importedByStyle = (style: string): string[] => {
  const parts = unescaped(style)
    .split(/@import/i)
    .slice(1);
  return parts.map((rest) => AFTER_IMPORT.exec(rest.replace(/\/\*[\s\S]*?(?:\*\/|$)/g, ' '))?.[1] ?? UNREADABLE);
};

/** A URL that is never allowed. */
const UNREADABLE = 'https://';

const unescaped = (style: string) =>
  style.replace(/\\(?:([0-9a-f]{1,6})\s?|\r\n|([\s\S]))/gi, (_, code?: string, character?: string) => {
    if (code === undefined) return character === '\n' ? '' : (character ?? '');
    const point = Number.parseInt(code, 16);
    return point === 0 || point > 0x10ffff ? '\ufffd' : String.fromCodePoint(point);
  });

const textIn = (element: Tree.Element): string =>
  element.childNodes.map((node) => (node.nodeName === '#text' ? (node as Tree.TextNode).value : '')).join('');

const hostOf = (address: string | null) =>
  URL.parse(address ?? '', `${HERE}/`)?.hostname.slice(0, 100) || 'a URL without a host';

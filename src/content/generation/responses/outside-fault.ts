import { parse, type DefaultTreeAdapterTypes as Tree } from 'parse5';

/**
 * Returns the reason to refuse a page that would run code from other hosts, embed their documents, or send something to
 * them. Code from `scriptHosts` is allowed. Returns null if there is no reason. Users see the reason.
 */
export function outsideFault(text: string, scriptHosts: ReadonlySet<string>): string | null {
  // Browsers treat <noscript> as text if scripts are enabled, and as part of the page if not.
  return faultIn(parse(text), scriptHosts) ?? faultIn(parse(text, { scriptingEnabled: false }), scriptHosts);
}

const HERE = 'https://here.invalid';

/** Elements that embed other documents, which would have to pass the same checks as the page. */
const FRAMES = new Set(['iframe', 'frame', 'object', 'embed', 'portal', 'fencedframe', 'applet']);

/** `<link>` relations that load scripts, style sheets or other resources. */
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
    if (RESOURCE_MAPS.has(type)) return `The page has a <script type="${type}">, which can change what the page loads.`;
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

/** Checks the attributes of any element, including SVG elements, which can also run scripts. */
function attributesFault({ tagName, attrs }: Tree.Element, isAllowed: (address: string) => boolean): string | null {
  for (const { name, value } of attrs) {
    const where = `(<${tagName} ${name}>)`;
    // Like browsers, the URL parser ignores tabs, line breaks and leading spaces.
    if (ADDRESSES.has(name) && RUNNING.has(URL.parse(value)?.protocol ?? ''))
      return `The page has a link that runs code ${where}.`;
    // An SVG animation can set a link to a `javascript:` URL later.
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

/** `<script>` types that control what a browser loads or fetches. */
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

/** Matches the start of an import with a literal URL. URLs that a script composes at run time are not found. */
const IMPORTS = /\b(?:import|importScripts|from)(?![\w$])/g;
/** Matches white space or a comment of limited length, which can precede the URL of an import. */
const BLANK = /\s{1,500}|\/\*[\s\S]{0,300}?\*\/|\/\/[^\n\r\u2028\u2029]{0,300}(?=[\n\r\u2028\u2029])/y;
const ADDRESS = /["'`]([^"'`]{1,500})["'`]/y;
/** Matches white space or a comment that was too long to skip. The URL after it is not read, so the page is refused. */
const LONG_BLANK = /\s|\/[*/]/y;
const BLANKS = 20;
const AFTER_IMPORT = /^\s*(?:url\(\s*)?["']?([^"')\s;]{1,500})/i;

const importedIn = (script: string): string[] =>
  [...script.matchAll(IMPORTS)].flatMap(({ 0: keyword, index }) => addressAfter(script, index + keyword.length) ?? []);

/** Returns the URL of an import, which can follow white space and a parenthesis. Returns null if there is no URL. */
function addressAfter(script: string, start: number): string | null {
  let at = skipBlanks(script, start);
  if (script[at] === '(') at = skipBlanks(script, at + 1);
  if (matchAt(LONG_BLANK, script, at)) return UNREADABLE;
  const [, address] = matchAt(ADDRESS, script, at) ?? [];
  return address === undefined ? null : unescapedString(address);
}

function skipBlanks(script: string, start: number): number {
  let at = start;
  for (let n = 0; n < BLANKS; n++) {
    const blank = matchAt(BLANK, script, at);
    if (!blank) break;
    at += blank[0].length;
  }
  return at;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** Resolves escape sequences in a script’s string (ECMA-262, 12.9.4). */
const unescapedString = (text: string): string =>
  text.replace(
    /\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|u\{([0-9a-f]{1,6})\}|\r\n|([\s\S]))/gi,
    (_, byte, unit, point, other) => {
      const code = byte ?? unit ?? point;
      if (code !== undefined) return characterOf(code);
      return other === undefined || /[\n\r\u2028\u2029]/.test(other) ? '' : other;
    },
  );

function characterOf(code: string): string {
  const point = Number.parseInt(code, 16);
  return point === 0 || point > 0x10ffff ? '\ufffd' : String.fromCodePoint(point);
}

/**
 * Returns the URLs that a style sheet imports. Also considers `@import` in comments and strings, because only a CSS
 * parser can tell where those begin. Resolves escapes, which can represent any character (CSS Syntax, 4.3.7), and
 * treats comments as spaces.
 */
const importedByStyle = (style: string): string[] => {
  const parts = unescaped(style)
    .split(/@import/i)
    .slice(1);
  // Removes tabs and line breaks from URLs, as URL parsers do.
  const addressIn = (rest: string) => rest.replace(/\/\*[\s\S]*?(?:\*\/|$)/g, ' ').replace(/[\t\n\r]/g, '');
  return parts.map((rest) => AFTER_IMPORT.exec(addressIn(rest))?.[1] ?? UNREADABLE);
};

/** Represents a URL that cannot be read. It is never an allowed URL. */
const UNREADABLE = 'https://';

const unescaped = (style: string) =>
  style.replace(/\\(?:([0-9a-f]{1,6})\s?|\r\n|([\s\S]))/gi, (_, code?: string, character?: string) => {
    if (code === undefined) return character === '\n' ? '' : (character ?? '');
    return characterOf(code);
  });

const textIn = (element: Tree.Element): string =>
  element.childNodes.map((node) => (node.nodeName === '#text' ? (node as Tree.TextNode).value : '')).join('');

const hostOf = (address: string | null) =>
  URL.parse(address ?? '', `${HERE}/`)?.hostname.slice(0, 100) || 'a URL without a host';

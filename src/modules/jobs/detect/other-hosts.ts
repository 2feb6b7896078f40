import { record } from './package-json.js';

export type GivenSettings = {
  readonly buildCommand: unknown;
  readonly outputDirectory: unknown;
  /** Members of the settings file that this service ignores, each with instructions for the user. */
  readonly ignored: readonly (readonly [given: Record<string, unknown>, names: readonly string[], instead: string])[];
};

const REDIRECTS = 'put them in a _redirects file';
const HEADERS = 'put them in a _headers file';
const FUNCTIONS = 'they cannot run here';

/** Reads the first site in firebase.json (firebase.google.com, “Configure Hosting behavior”). */
export function readFirebase(text: string): GivenSettings | null {
  const given = record(JSON.parse(text));
  if (!Object.hasOwn(given, 'hosting')) return null;
  const all: unknown[] = Array.isArray(given.hosting) ? given.hosting : [given.hosting];
  const hosting = record(all.find((each) => Object.hasOwn(record(each), 'public')));
  return {
    buildCommand: null,
    outputDirectory: hosting.public,
    ignored: [
      [hosting, ['redirects', 'rewrites'], REDIRECTS],
      [hosting, ['headers'], HEADERS],
      [given, ['functions'], FUNCTIONS],
    ],
  };
}

/** Reads the settings of a Cloudflare Worker (developers.cloudflare.com, “Wrangler configuration”). */
export function readWrangler(given: Record<string, unknown>): GivenSettings | null {
  const outputDirectory = record(given.assets).directory ?? record(given.site).bucket ?? given.pages_build_output_dir;
  if (outputDirectory === undefined) return null;
  return { buildCommand: record(given.build).command ?? null, outputDirectory, ignored: [] };
}

/**
 * Reads the first static site in render.yaml (render.com, “Blueprint YAML Reference”). Reads only plain single-line
 * values, so a YAML parser is not needed.
 */
export function readRender(text: string): GivenSettings | null {
  const site = listItems(text).find(
    (item) =>
      item.get('staticPublishPath') !== undefined &&
      /^static$/.test(item.get('runtime') ?? item.get('env') ?? 'static'),
  );
  if (!site) return null;
  return {
    buildCommand: site.get('buildCommand') ?? null,
    outputDirectory: site.get('staticPublishPath'),
    ignored: [],
  };
}

const MAX_LINES = 5_000;
const MEMBER = /^( {0,40})(- +)?([A-Za-z]\w{0,40}):(?: +(\S.*))?$/;

/** Returns the top-level members of each list item in a YAML text. */
function listItems(text: string): readonly Map<string, string>[] {
  const items: Map<string, string>[] = [];
  let indentation = -1;
  for (const line of text.split('\n', MAX_LINES)) {
    const [, blanks = '', dash, name = '', value = ''] = MEMBER.exec(line.trimEnd()) ?? [];
    if (name === '') continue;
    const at = blanks.length + (dash?.length ?? 0);
    // A nested list is indented more than the members of its item.
    if (dash !== undefined && (items.length === 0 || at <= indentation)) {
      items.push(new Map());
      indentation = at;
    }
    if (at === indentation) items.at(-1)?.set(name, unquoted(value));
  }
  return items;
}

const unquoted = (value: string) =>
  /^"[^"]*"$|^'[^']*'$/.test(value) ? value.slice(1, -1) : value.replace(/\s#.*$/, '').trimEnd();

export const parseJsonc = (text: string): unknown => JSON.parse(withoutTrailingCommas(withoutComments(text)));

function withoutComments(text: string): string {
  let kept = '';
  for (let at = 0; at < text.length; ) {
    const next = text.slice(at, at + 2);
    const end = next === '//' ? text.indexOf('\n', at) : next === '/*' ? text.indexOf('*/', at + 2) + 2 : null;
    if (end === null) {
      const piece = text[at] === '"' ? stringAt(text, at) : (text[at] ?? '');
      kept += piece;
      at += piece.length;
    } else {
      // An unterminated comment extends to the end of the text.
      at = end < at + 2 ? text.length : end;
    }
  }
  return kept;
}

function withoutTrailingCommas(text: string): string {
  let kept = '';
  for (let at = 0; at < text.length; ) {
    const piece = text[at] === '"' ? stringAt(text, at) : (text[at] ?? '');
    at += piece.length;
    if (piece === ',') {
      let after = at;
      while (/\s/.test(text[after] ?? '')) after++;
      if (text[after] === '}' || text[after] === ']') continue;
    }
    kept += piece;
  }
  return kept;
}

function stringAt(text: string, from: number): string {
  let at = from + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return text.slice(from, at + 1);
}

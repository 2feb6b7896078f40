import { readFileSync } from 'node:fs';

export type CommandBlock = {
  /** File and line of the block, such as `README.md:42`. */
  readonly place: string;
  readonly text: string;
  /** Reason why a test cannot run the block, from the comment `<!-- not run: … -->` above it, or null. */
  readonly skipReason: string | null;
  /**
   * Seconds after which endless commands are stopped, from `<!-- stops after 4 s: … -->`, or null if the commands
   * end.
   */
  readonly stopsAfterS: number | null;
  /** The documented output: a block of JSON or text directly after the commands. */
  readonly output: { readonly language: 'json' | 'text'; readonly text: string } | null;
};

const BLOCK =
  /(?:^<!-- (?:not run: (?<reason>.+)|stops after (?<seconds>\d+) s: .+) -->\n)?^```sh\n(?<text>[\s\S]*?)^```\n(?:\n```(?<language>json|text)\n(?<output>[\s\S]*?)^```\n)?/gm;

export function commandsOf(file: string): readonly CommandBlock[] {
  const document = readFileSync(file, 'utf8');
  return [...document.matchAll(BLOCK)].map(({ index, groups = {} }) => {
    const { reason, seconds, text = '', language, output = '' } = groups;
    return {
      place: `${file}:${document.slice(0, index).split('\n').length}`,
      text,
      skipReason: reason ?? null,
      stopsAfterS: seconds === undefined ? null : Number(seconds),
      output: language === 'json' || language === 'text' ? { language, text: output } : null,
    };
  });
}

const FENCE = /^```(?<language>\w*)\n(?<text>[\s\S]*?)^```$/gm;

const COMMAND = /^(?:[A-Z_]+=\S*\s*)?(?:curl|docker|git|jq|node|npm|npx|stele) /m;

/** Returns the locations of commands in code blocks without a language, which the tests do not run. */
export function unmarkedCommandsOf(file: string): readonly string[] {
  const document = readFileSync(file, 'utf8');
  return [...document.matchAll(FENCE)].flatMap(({ index, groups = {} }) => {
    const { language, text = '' } = groups;
    return language === '' && COMMAND.test(text) ? [`${file}:${document.slice(0, index).split('\n').length}`] : [];
  });
}

/** Replaces everything that differs between runs: IDs, slugs, digits and random names. */
const withoutChance = (text: string) =>
  text
    .replaceAll(/\b([a-z]{3,4})_[0-9a-z]{26}\b/g, '$1_ID')
    .replaceAll(/\b[a-z]+-[a-z]+-\d{4}\b/g, 'SLUG')
    .replaceAll(/\b[0-9a-f]{32}\b/g, 'HEX')
    .replaceAll(/\b[0-9A-Z]{4}-[0-9A-Z]{4}\b/g, 'CODE')
    .replaceAll(/(?<=\/terminal\/)\w+/g, 'NAME')
    .replaceAll(/\d+/g, '0');

/** Reports whether the actual output matches. “…” in a document matches any text within one line. */
function isLike(documented: string, actual: string): boolean {
  const parts = withoutChance(documented).split('…');
  const pattern = parts.map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('[^\\n]*');
  return new RegExp(`^${pattern}$`).test(withoutChance(actual));
}

/** Describes how the shape of an output differs from the documented one. Returns null if it does not. */
export function differenceOf({ language, text }: NonNullable<CommandBlock['output']>, actual: string): string | null {
  if (language === 'json') return jsonDifference(JSON.parse(text), JSON.parse(actual), '$');
  return isLike(text.trimEnd(), actual.trimEnd()) ? null : `documented:\n${text}\nprinted:\n${actual}`;
}

function jsonDifference(documented: unknown, actual: unknown, path: string): string | null {
  if (Array.isArray(documented) && Array.isArray(actual)) {
    if (documented.length !== actual.length) return `${path} has ${actual.length} items`;
    return first(documented, (each, index) => jsonDifference(each, actual[index], `${path}[${index}]`));
  }
  if (isObject(documented) && isObject(actual)) {
    const names = [Object.keys(documented), Object.keys(actual)].map((each) => each.toSorted().join(', '));
    if (names[0] !== names[1]) return `${path} has ${names[1]} in place of ${names[0]}`;
    return first(Object.keys(documented), (key) => jsonDifference(documented[key], actual[key], `${path}.${key}`));
  }
  const isSame =
    typeof documented === 'string' && typeof actual === 'string'
      ? isLike(documented, actual)
      : typeof documented === 'number'
        ? typeof actual === 'number'
        : documented === actual;
  return isSame ? null : `${path} is ${JSON.stringify(actual)} in place of ${JSON.stringify(documented)}`;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function first<T>(items: readonly T[], differenceAt: (item: T, index: number) => string | null): string | null {
  for (const [index, item] of items.entries()) {
    const difference = differenceAt(item, index);
    if (difference !== null) return difference;
  }
  return null;
}

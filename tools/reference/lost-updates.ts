import type { OpenApi } from './reference.ts';

// Writes the table under "Lost updates" in docs/interface/conventions.md from the descriptions of `If-Match`.

export const CONVENTIONS = 'docs/interface/conventions.md';

const BEGIN = '<!-- Generated from /openapi.json by `npm run reference`. Do not edit this table by hand. -->';
const END = '<!-- End of the generated table. -->';

/** Returns the operations that compare `If-Match`, each with the changes after which it fails. */
export const conditionalOperations = ({ paths }: OpenApi): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations).flatMap(([method, { parameters = [] }]) => {
        const words = parameters
          .find(({ name }) => name === 'if-match')
          ?.description?.match(/if, since then, (.*)\.$/)?.[1];
        return words === undefined ? [] : [[`${method.toUpperCase()} ${path}`, words] as const];
      }),
    ),
  );

/** Returns the text of the page with the current table. */
export function renderLostUpdates(page: string, document: OpenApi): string {
  const [start = '', rest] = page.split(BEGIN);
  const end = rest?.split(END)[1];
  if (end === undefined) throw new Error(`${CONVENTIONS} must contain “${BEGIN}” and “${END}”.`);
  const rows = [...Map.groupBy(conditionalOperations(document), ([, words]) => words)].map(
    ([words, operations]) =>
      `| ${operations
        .map(([operation]) => operation)
        .sort()
        .map((operation) => `\`${operation}\``)
        .join(', ')} | ${words} |`,
  );
  const table = ['| Request | Fails if, since this revision, |', '|---|---|', ...rows.sort()].join('\n');
  return `${start}${BEGIN}\n\n${table}\n\n${END}${end}`;
}

import type { Command } from 'commander';

/** Sentences with these words are meant for programs that call the API. */
const API_WORDS =
  /\b((GET|POST|PUT|PATCH|DELETE) \/|openapi|header|x-svc-|content-type|multipart|preflight|editToken|request again)/i;
/** Quoted names of files and sites may contain any of the words in API_WORDS. */
const QUOTED = /“[^”]*”/g;
/** Requests that a text mentions in parentheses. */
const ASIDES = / \((GET|POST|PUT|PATCH|DELETE) [^)]*\)/g;

/**
 * For fields of the API: the name of the argument or option if it differs, or words if there is neither. `|` separates
 * alternatives.
 */
const NAMES = new Map(
  Object.entries({
    slug: 'name|site',
    q: 'search',
    expiresAt: 'expires',
    rootDirectory: 'root',
    deployId: 'deploy',
    claims: 'claim',
    files: 'The deploy',
    idToken: 'The identity token',
  }),
);

/**
 * Rewords a text of the service for a terminal. Leaves out sentences about HTTP, and replaces names of fields by the
 * arguments and options of the command. Returns an empty text if nothing is left.
 */
export function reword(text: string, command?: Command): string {
  return withoutRequests(text)
    .split(/(?<=[.?!]) (?=\P{Ll})/u)
    .filter((sentence) => !API_WORDS.test(sentence.replaceAll(QUOTED, '')))
    .join(' ')
    .replaceAll(/`(\w+)([\w.[\]]*)`/g, (quoted, field: string, rest: string) => {
      const word = nameField(field, command);
      return word ? word + rest : quoted;
    })
    .replaceAll(/(?<= )slug(?=[ ,.]|$)/g, 'name');
}

/** Removes requests that a text mentions in parentheses. Unlike `reword`, keeps everything else unchanged. */
export const withoutRequests = (text: string): string => text.replaceAll(ASIDES, '');

function nameField(field: string, command: Command | undefined): string | undefined {
  const name = NAMES.get(field) ?? field;
  if (name.includes(' ')) return name;
  const argument = command?.registeredArguments.find((each) => name.split('|').includes(each.name()));
  const option = command?.options.find((each) => name.split('|').includes(each.attributeName()));
  return argument?.name().toUpperCase() ?? option?.long;
}

import type { Command } from 'commander';

/** Sentences with these words are meant for programs that call the API. */
const API_WORDS =
  /\b((GET|POST|PUT|PATCH|DELETE) \/|openapi|header|x-svc-|content-type|multipart|preflight|editToken|request again)/i;
/** Quoted names of files and sites may contain any of the words in API_WORDS. */
const QUOTED = /“[^”]*”/g;
/** Requests in parentheses, such as ` (POST /v1/deploy)`. */
const ASIDES = / \((GET|POST|PUT|PATCH|DELETE) [^)]*\)/g;

/**
 * Maps a field of the API to the argument or option of a command that has another name, or to words if there is none.
 * `|` separates alternatives.
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
 * Rewords a message from the service for a terminal. Removes sentences about HTTP, and replaces field names with the
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

/** Removes requests in parentheses from a message. Unlike `reword`, keeps everything else unchanged. */
export const withoutRequests = (text: string): string => text.replaceAll(ASIDES, '');

function nameField(field: string, command: Command | undefined): string | undefined {
  const name = NAMES.get(field) ?? field;
  if (name.includes(' ')) return name;
  const argument = command?.registeredArguments.find((each) => name.split('|').includes(each.name()));
  const option = command?.options.find((each) => name.split('|').includes(each.attributeName()));
  return argument?.name().toUpperCase() ?? option?.long;
}

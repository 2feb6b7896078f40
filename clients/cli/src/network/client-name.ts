declare const STELE_VERSION: string;

/** The version of the command, which the build fills in. */
export const VERSION = typeof STELE_VERSION === 'string' ? STELE_VERSION : '0.0.0';

/** Variables that coding agents set, each with the name of the agent. Null if the variable's value is the name. */
const AGENTS: readonly (readonly [variable: string, name: string | null])[] = [
  ['AI_AGENT', null],
  ['CLAUDECODE', 'claude-code'],
  ['CURSOR_AGENT', 'cursor'],
  ['GEMINI_CLI', 'gemini-cli'],
  ['CODEX_SANDBOX', 'codex'],
];

const MAX_LENGTH = 60;

/** The value of the header `stele-client`: up to 60 visible ASCII characters. */
export function formatClientName(environment: NodeJS.ProcessEnv, version = VERSION): string {
  const found = AGENTS.find(([variable]) => environment[variable]);
  const agent = found && (found[1] ?? environment[found[0]]);
  const name = agent
    ? `stele-cli/${version}; agent=${agent.replaceAll(/[^\x21-\x7e]+/g, '-')}`
    : `stele-cli/${version}`;
  return name.slice(0, MAX_LENGTH);
}

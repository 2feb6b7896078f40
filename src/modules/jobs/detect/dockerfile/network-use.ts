import { parseInstructions, UnsupportedDockerfileError } from './instructions.js';

/** Commands that download something: package managers, HTTP clients and git. */
const DOWNLOADS = [
  /\b(?:npm|pnpm|yarn|bun)\s+(?:\S+\s+){0,4}?(?:ci|i|install|add|update|dlx|create)\b/,
  /\byarn\s*(?:$|&&|;|--)/,
  /\b(?:npx|bunx|pnpx|corepack)\b/,
  /\b(?:apt|apt-get|apk|dnf|yum|microdnf|zypper|pacman)\b/,
  /\bpip3?\s+(?:\S+\s+){0,3}?(?:install|download)\b|\b(?:poetry|pipenv|uv|conda|mamba)\b/,
  /\b(?:gem|bundle|bundler|composer|mix|luarocks|cpanm?)\s+(?:\S+\s+){0,3}?(?:install|update|deps\.get|require)\b/,
  /\bgo\s+(?:mod\s+download|get|install|build)\b|\bcargo\s+(?:build|fetch|install|update)\b/,
  /\bdotnet\s+(?:restore|build|publish)\b|\b(?:mvn|mvnw|gradle|gradlew|sbt)\b/,
  /\b(?:curl|wget|fetch)\b|\bgit\s+(?:clone|fetch|pull)\b|\bdeno\s+(?:cache|install)\b/,
  /https?:\/\//,
];

const OF_PACKAGES = /\b(?:npm|pnpm|yarn|bun|npx|bunx|pnpx|corepack)\b/;

const MAX_NAMED = 5;
const MAX_SHOWN_CHARACTERS = 60;

/** Network access of `RUN` instructions, as set by `STELE_IMAGE_BUILD_NETWORK`. */
export type RunNetwork = 'none' | 'registries';

/**
 * Returns a warning that lists the `RUN` instructions that seem to need more network access than builds have; null if
 * there are none.
 */
export function warnOfDownloads(text: string, network: RunNetwork): string | null {
  const lines = listDownloads(text).filter(({ rest }) => network === 'none' || !OF_PACKAGES.test(rest));
  if (lines.length === 0) return null;
  const named = lines.slice(0, MAX_NAMED).map(({ line, rest }) => `line ${line} (RUN ${shownCommand(rest)})`);
  const more = lines.length > MAX_NAMED ? ` and ${lines.length - MAX_NAMED} more` : '';
  return network === 'none'
    ? `RUN has no network access here, which these instructions seem to need: ${named.join(', ')}${more}. Use a base image that contains what they download, add it to the repository, or ask the operator to allow package registries (STELE_IMAGE_BUILD_NETWORK).`
    : `RUN can only reach the package registries here, but these instructions seem to need other hosts: ${named.join(', ')}${more}. Use a base image that contains what they download, or add it to the repository.`;
}

function listDownloads(text: string) {
  try {
    return parseInstructions(text).filter(
      ({ name, rest }) => name === 'RUN' && DOWNLOADS.some((form) => form.test(rest.slice(0, 4_000))),
    );
  } catch (error) {
    if (error instanceof UnsupportedDockerfileError) return [];
    throw error;
  }
}

const shownCommand = (rest: string) =>
  rest.length > MAX_SHOWN_CHARACTERS ? `${rest.slice(0, MAX_SHOWN_CHARACTERS)}…` : rest;

/** Kinds of changes in Keep a Changelog 1.1. */
export const kinds = ['added', 'changed', 'deprecated', 'removed', 'fixed', 'security'] as const;

export type Version = {
  readonly version: string;
  /** Date of the release in the form `YYYY-MM-DD`, or null if the version is unreleased. */
  readonly date: string | null;
  /** Markdown list entries, one line each, by kind of change. Kinds without changes are omitted. */
  readonly changes: Partial<Record<(typeof kinds)[number], readonly string[]>>;
};

/** Parses a changelog in the format of keepachangelog.com. Versions keep their order, newest first. */
export function parseChangelog(markdown: string): Version[] {
  return sections(markdown, '## ').map(({ title, body }) => {
    const [, version = title, date = null] = /^\[?([^\]\s]+)\]?(?:\s+-\s+(\d{4}-\d{2}-\d{2}))?/.exec(title) ?? [];
    const changes: Partial<Record<(typeof kinds)[number], string[]>> = {};
    for (const { title: kind, body: list } of sections(body, '### ')) {
      const known = kinds.find((each) => each === kind.toLowerCase());
      if (known) changes[known] = [...(changes[known] ?? []), ...entries(list)];
    }
    return { version, date, changes };
  });
}

function sections(text: string, mark: string): { title: string; body: string }[] {
  const found: { title: string; lines: string[] }[] = [];
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith(mark)) found.push({ title: line.slice(mark.length).trim(), lines: [] });
    else found.at(-1)?.lines.push(line);
  }
  return found.map(({ title, lines }) => ({ title, body: lines.join('\n') }));
}

function entries(list: string): string[] {
  const found: string[] = [];
  for (const line of list.split('\n')) {
    const last = found.length - 1;
    if (/^[-*] /.test(line)) found.push(line.slice(2).trim());
    else if (/^\s+\S/.test(line) && last >= 0) found[last] += ` ${line.trim().replace(/^[-*] /, '')}`;
  }
  return found;
}

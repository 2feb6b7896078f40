/** Formats a table without borders, so that `awk` can read it too. Empty cells are shown as a dash. */
export function formatTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, ...rows.map((cells) => cells.map((cell) => (cell === '' ? '-' : oneLine(cell))))];
  const widths = headings.map((_, column) => Math.max(...lines.map((cells) => width(cells[column] ?? ''))));
  return lines
    .map((cells) =>
      cells
        .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - width(cell)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Removes control characters and line breaks, because text that others wrote must not control the terminal. */
export const oneLine = (text: string) => text.replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ');

/** Counts the columns that a text occupies in a terminal. Most East Asian characters occupy two. */
function width(text: string): number {
  let columns = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) columns += WIDE.test(segment) ? 2 : 1;
  return columns;
}

/**
 * Removes characters that could control the terminal or change the order of text. Keeps line breaks, tabs and the
 * colours that the command itself adds. Texts can come from an instance that somebody else runs.
 */
export const harmless = (text: string) =>
  text.replaceAll(/\p{Cc}\[[0-9;]*m|\p{Cc}|[\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, (found) =>
    ['\u001b[', '\n', '\t'].some((beginning) => found.startsWith(beginning)) ? found : ` ${found.slice(1)}`,
  );

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;

/**
 * Formats where a JSON or TOML parser found an error, such as ` (line 2, column 3)`. Returns an empty string if the
 * position is unknown.
 */
export function formatPosition(error: unknown): string {
  const { message, line, column } = error as { message?: string; line?: number; column?: number };
  const [, jsonLine, jsonColumn] = /\(line (\d+) column (\d+)\)/.exec(message ?? '') ?? [];
  const position = [line ?? jsonLine, column ?? jsonColumn];
  return position.includes(undefined) ? '' : ` (line ${position[0]}, column ${position[1]})`;
}

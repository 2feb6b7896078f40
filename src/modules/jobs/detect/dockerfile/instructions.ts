export type Instruction = {
  /** Line number, counted from 1. */
  readonly line: number;
  /** Name of the instruction in upper case. */
  readonly name: string;
  /** The instruction's text after its name, with continued lines joined and surrounding whitespace removed. */
  readonly rest: string;
};

export class UnsupportedDockerfileError extends Error {
  override readonly name = 'UnsupportedDockerfileError';
}

/** An instruction that may continue on the next line. */
type Open = { readonly line: number; readonly text: string };

/** Characters that do not occur in normal text and that some engines treat as whitespace. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it matches these characters
const STRANGE = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b\u2028\u2029\ufeff]/;
/** Matches two backslashes at the end of a line. Some engines then continue the line, and others do not. */
const DOUBTFUL = /\\\\[ \t]*$/;
const GOES_ON = /\\[ \t]*$/;
const DIRECTIVE = /^#[ \t]*([a-zA-Z][a-zA-Z0-9]*)[ \t]*=/;

/**
 * Parses a Dockerfile (docs.docker.com, "Dockerfile reference"). Throws `UnsupportedDockerfileError` for parser
 * directives and for text that engines interpret differently. This strictness ensures that no engine finds an
 * instruction that is missing from the result.
 */
export function parseInstructions(text: string): Instruction[] {
  const found: Instruction[] = [];
  let open: Open | null = null;
  for (const [at, ended] of text
    .replace(/^\ufeff/, '')
    .split('\n')
    .entries()) {
    const number = at + 1;
    const line = ended.replace(/\r$/, '');
    if (STRANGE.test(line)) throw refused(number, 'contains a control character or an invisible character');
    const isFirst = !open && found.length === 0;
    const [, directive] = (isFirst && DIRECTIVE.exec(line.trim())) || [];
    if (directive !== undefined)
      checkDirective(number, directive.toLowerCase(), line.slice(line.indexOf('=') + 1).trim());
    if (line.trim() === '' || line.trim().startsWith('#')) continue;
    if (DOUBTFUL.test(line))
      throw refused(number, 'ends in two backslashes, which container engines interpret differently');
    // Engines join continued lines without a separator.
    open = grown(open, number, line.replace(GOES_ON, ''));
    if (GOES_ON.test(line)) continue;
    found.push(instructionOf(open));
    open = null;
  }
  return open === null ? found : [...found, instructionOf(open)];
}

/**
 * Versions of the standard frontend (docs.docker.com, “Custom Dockerfile syntax”). Any of them is accepted: builders
 * other than BuildKit ignore the `# syntax` line, and instructions that need a newer version are refused separately.
 */
const USUAL_SYNTAX = /^(?:docker\.io\/)?docker\/dockerfile(?::(?:latest|1(?:\.\d{1,3}){0,2}))?$/;

function checkDirective(line: number, name: string, value: string): void {
  if (name === 'check' || (name === 'syntax' && USUAL_SYNTAX.test(value))) return;
  if (name === 'syntax')
    throw refused(
      line,
      `requests the Dockerfile frontend ${value.slice(0, 80)}, but only docker/dockerfile:1 is supported. Remove the line or change it to # syntax=docker/dockerfile:1`,
    );
  throw refused(line, `has the parser directive ${name.slice(0, 20)}, which is not supported`);
}

const grown = (open: Open | null, line: number, text: string): Open =>
  open === null ? { line, text } : { line: open.line, text: `${open.text}${text}` };

function instructionOf({ line, text }: Open): Instruction {
  const trimmed = text.trim();
  const [name = ''] = trimmed.split(/\s/, 1);
  return { line, name: name.toUpperCase(), rest: trimmed.slice(name.length).trim() };
}

export const refused = (line: number, why: string) => new UnsupportedDockerfileError(`Line ${line} ${why}.`);

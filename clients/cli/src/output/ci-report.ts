import { appendFileSync } from 'node:fs';
import type { Failure } from '../command-line/failure.js';

type Environment = NodeJS.ProcessEnv;

/** Whether the job runs on GitHub or Forgejo, which read annotations from the output of a step. */
const hasAnnotations = ({ GITHUB_ACTIONS }: Environment) => GITHUB_ACTIONS === 'true';

/**
 * Prints an annotation that the CI service shows beside the file. It goes to standard error, because standard output is
 * reserved for the result.
 */
export function annotateWarning(
  environment: Environment,
  { file, line, message }: { file: string; line?: number; message: string },
) {
  if (!hasAnnotations(environment)) return;
  const place = [`file=${escapeProperty(file)}`, ...(line === undefined ? [] : [`line=${line}`])].join(',');
  process.stderr.write(`::warning ${place}::${escapeData(message)}\n`);
}

/** Prints an annotation that the CI service shows as the error of the job. */
export function annotateFailure(environment: Environment, { message }: Failure): void {
  if (hasAnnotations(environment)) process.stderr.write(`::error title=stele::${escapeData(message)}\n`);
}

export function summarize({ GITHUB_STEP_SUMMARY: file }: Environment, lines: readonly string[]): void {
  if (!file) return;
  try {
    appendFileSync(file, `${lines.join('\n')}\n`);
  } catch {
    // Ignore the error, because the deploy has succeeded even if its summary cannot be written.
  }
}

/** A line break would end the annotation, and a comma or colon would end one of its properties. */
const escapeData = (text: string) => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
const escapeProperty = (text: string) => escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');

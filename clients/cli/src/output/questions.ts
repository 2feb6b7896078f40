import { confirm, isCancel, password, select, text } from '@clack/prompts';
import { AnswerNeededError, InterruptedError, type NextStep } from '../command-line/errors.js';
import type { Session } from '../command-line/session.js';

const output = process.stderr;

/** Asks for confirmation before something that cannot be undone. Scripts confirm with `--yes`. */
export async function assertConfirmed({ output: { isInteractive }, options }: Session, question: string) {
  if (options.yes) return;
  if (!isInteractive)
    throw new AnswerNeededError(`${question} This run is not interactive, so add --yes to confirm.`, [
      { command: 'the same command with --yes', when: 'to confirm' },
    ]);
  const answer = await confirm({ message: question, initialValue: false, output });
  if (isCancel(answer) || !answer) throw new InterruptedError();
}

/** Asks for one of several values. In a script, throws AnswerNeededError with the commands in `next`. */
export async function choose(
  { output: { isInteractive } }: Session,
  question: string,
  values: readonly { readonly value: string; readonly hint?: string }[],
  next: readonly NextStep[],
): Promise<string> {
  if (!isInteractive)
    throw new AnswerNeededError(`${question} Name one of these: ${values.map(({ value }) => value).join(', ')}.`, next);
  const options = values.map(({ value, hint }) => ({ value, label: value, ...(hint && { hint }) }));
  const answer = await select({ message: question, options, output });
  if (isCancel(answer)) throw new InterruptedError();
  return answer;
}

/** Asks for a line of text. In a script, throws AnswerNeededError with the commands in `next`. */
export async function ask({ output: { isInteractive } }: Session, question: string, next: readonly NextStep[]) {
  if (!isInteractive) throw new AnswerNeededError(`${question} This run is not interactive.`, next);
  const answer = await text({ message: question, output });
  if (isCancel(answer) || !answer) throw new InterruptedError();
  return answer.trim();
}

/**
 * Asks for a secret of one line, without showing what is typed. Returns null if several lines were pasted, because the
 * prompt reads only the first one. Must only be called in an interactive run.
 */
export async function askSecretly(question: string): Promise<string | null> {
  let hasSeveralLines = false;
  const look = (chunk: Buffer) => {
    hasSeveralLines ||= /[\r\n][^\r\n]/.test(chunk.toString());
  };
  process.stdin.on('data', look);
  try {
    const answer = await password({ message: question, output });
    if (isCancel(answer)) throw new InterruptedError();
    return hasSeveralLines ? null : answer;
  } finally {
    process.stdin.off('data', look);
  }
}

import { ConsoleLogger, Logger } from '@nestjs/common';

/** Format of the log: text for people (coloured in a terminal), or one JSON object per line. */
export type LogForm = 'text' | 'json';

let json: ConsoleLogger | null = null;

/** Sets the format of the log. Must be called before anything is logged. */
export function setLogForm(form: LogForm): void {
  const isTerminal = process.stdout.isTTY && process.stderr.isTTY && !process.env.NO_COLOR;
  Logger.overrideLogger(
    new ConsoleLogger({ logLevels: ['fatal', 'error', 'warn'], json: form === 'json', colors: isTerminal === true }),
  );
  json = form === 'json' ? new ConsoleLogger('Stele', { json: true }) : null;
}

export const isJson = () => json !== null;

/** Reports the progress of starting or stopping. With the level `fatal`, reports why it failed. */
export function say(message: string, level: 'log' | 'fatal' = 'log'): void {
  if (json) json[level](message.trim());
  else process.stderr.write(`${message}\n`);
}

/** Output for progress: a terminal, whose current line can be overwritten, or the log. */
export type ProgressOutput = { readonly isTTY?: boolean; readonly write: (text: string) => unknown };

export const progressOutput: ProgressOutput = {
  get isTTY() {
    return json === null && process.stderr.isTTY;
  },
  write: (text) => (json ? say(text) : process.stderr.write(text)),
};

import { ConsoleLogger, Logger } from '@nestjs/common';

/** As text for people, coloured in a terminal; or each entry as a JSON object in a line of its own. */
export type LogForm = 'text' | 'json';

let json: ConsoleLogger | null = null;

/** From now on everything the process tells of itself has this form; to be called before anything is told. */
export function setLogForm(form: LogForm): void {
  const isTerminal = process.stdout.isTTY && process.stderr.isTTY && !process.env.NO_COLOR;
  Logger.overrideLogger(
    new ConsoleLogger({ logLevels: ['fatal', 'error', 'warn'], json: form === 'json', colors: isTerminal === true }),
  );
  json = form === 'json' ? new ConsoleLogger('Stele', { json: true }) : null;
}

/** Whether it is JSON now. */
export const isJson = () => json !== null;

/** Tells the operator how a start or an end goes on; `fatal` is why there is none. */
export function say(message: string, level: 'log' | 'fatal' = 'log'): void {
  if (json) json[level](message.trim());
  else process.stderr.write(`${message}\n`);
}

/** Where progress is shown: a terminal, in which a line may be written anew, or the log. */
export type ProgressOutput = { readonly isTTY?: boolean; readonly write: (text: string) => unknown };

export const progressOutput: ProgressOutput = {
  get isTTY() {
    return json === null && process.stderr.isTTY;
  },
  write: (text) => (json ? say(text) : process.stderr.write(text)),
};

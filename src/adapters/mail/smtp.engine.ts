import { setTimeout as delay } from 'node:timers/promises';
import { createTransport } from 'nodemailer';
import { BackgroundTask } from '../../kernel/faults/background-task.js';
import { Mail, type Message } from '../../kernel/ports/outside/mail.js';
import { refuse } from '../../kernel/refusal.js';
import { envelope } from './message.js';

/** A mail server that says nothing must not keep a visitor waiting. Milliseconds. */
const PATIENCE = { dnsTimeout: 5_000, connectionTimeout: 5_000, greetingTimeout: 5_000, socketTimeout: 10_000 };
const ALTOGETHER_MS = 15_000;

/** Before each further try: a server that restarts, or that asks strangers to come again, is often there at once. */
const PAUSES_MS = [250, 1_000];

/**
 * nodemailer's codes for what passes: no server there yet, cut off, or asked to come again. A silent server is not
 * tried twice.
 */
const PASSING = new Set(['ECONNECTION', 'ESOCKET', 'EDNS', 'ECONNRESET', 'EPROTOCOL']);

const sending = new BackgroundTask('send_mail');

type SmtpFault = Error & {
  readonly code?: string;
  /** What the server answered, and to which command. */
  readonly responseCode?: number;
  readonly command?: string;
};

/** Mail by SMTP (`SMTP_URL`), by a few connections that stay open. */
export class SmtpMail extends Mail {
  readonly #transport;

  /** `say` gets what went wrong: never an address, nor what the server said, which may repeat one. */
  constructor(
    url: string,
    private readonly from: string,
    private readonly say: (line: string) => void,
  ) {
    super();
    this.#transport = createTransport({
      url,
      pool: true,
      maxConnections: 4,
      ...PATIENCE,
      ...(canLeaveHost(url) && { requireTLS: true }),
    });
  }

  override async send(message: Message): Promise<void> {
    const signal = AbortSignal.timeout(ALTOGETHER_MS);
    for (const pause of [...PAUSES_MS, null]) {
      const fault = await this.#try(message, signal);
      if (fault === null) return sending.succeeded();
      const codes = [fault.code, fault.responseCode, fault.command].filter(Boolean).join(' ');
      this.say(`Could not send an email: ${codes}`);
      // Whether there is such a mailbox is not for the person who typed the address to know.
      if (isRefusedMailbox(fault)) return;
      sending.failed(codes);
      if (pause === null || !isPassing(fault) || signal.aborted) break;
      await delay(pause);
    }
    refuse('unavailable', 'The email could not be sent. Try again later.');
  }

  /** By a connection of its own, on which the server greets and takes the password; nothing is sent. */
  override isReachable(): Promise<boolean> {
    return this.#transport.verify().then(
      () => true,
      () => false,
    );
  }

  stop() {
    this.#transport.close();
  }

  async #try(message: Message, signal: AbortSignal): Promise<SmtpFault | null> {
    const mail = { ...envelope(this.from, message), signal };
    return this.#transport.sendMail(mail).then(
      () => null,
      (error: unknown) => (error instanceof Error ? error : new Error()),
    );
  }
}

const isRefusedMailbox = ({ command, responseCode = 0 }: SmtpFault) => command === 'RCPT TO' && responseCode >= 500;

/** Without an answer it is the connection that failed; 4xx is the server's own “try again” (RFC 5321 section 4.2.1). */
const isPassing = ({ code = '', responseCode }: SmtpFault) =>
  responseCode === undefined ? PASSING.has(code) : responseCode >= 400 && responseCode < 500;

/** A password goes to another machine in cipher or not at all. */
function canLeaveHost(url: string): boolean {
  const { protocol, username, hostname } = new URL(url);
  return protocol === 'smtp:' && username !== '' && !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

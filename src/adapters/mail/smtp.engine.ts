import { setTimeout as delay } from 'node:timers/promises';
import { createTransport } from 'nodemailer';
import { BackgroundTask } from '../../kernel/faults/background-task.js';
import { Mail, type Message } from '../../kernel/ports/outside/mail.js';
import { refuse } from '../../kernel/refusal.js';
import { envelope } from './message.js';

/** Timeouts in milliseconds. They are short, because visitors wait for the mail server. */
const PATIENCE = { dnsTimeout: 5_000, connectionTimeout: 5_000, greetingTimeout: 5_000, socketTimeout: 10_000 };
const ALTOGETHER_MS = 15_000;

/** Pauses before retries. A server that is restarting or greylists unknown senders often accepts mail soon. */
const PAUSES_MS = [250, 1_000];

/** nodemailer’s codes for transient faults. Timeouts are not retried. */
const PASSING = new Set(['ECONNECTION', 'ESOCKET', 'EDNS', 'ECONNRESET', 'EPROTOCOL']);

const sending = new BackgroundTask('send_mail');

type SmtpFault = Error & {
  readonly code?: string;
  readonly responseCode?: number;
  readonly command?: string;
};

/** Sends mail by SMTP (`SMTP_URL`), using a few persistent connections. */
export class SmtpMail extends Mail {
  readonly #transport;

  /**
   * `say` receives reports without email addresses. The reports omit server responses, which can repeat an address.
   */
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
      // If the mailbox does not exist, report success. Otherwise, whoever entered the address would learn that it does
      // not exist.
      if (isRefusedMailbox(fault)) return;
      sending.failed(codes);
      if (pause === null || !isPassing(fault) || signal.aborted) break;
      await delay(pause);
    }
    refuse('unavailable', 'The email could not be sent. Try again later.');
  }

  /** Opens a separate connection and authenticates, without sending mail. */
  override checkReachable(): Promise<boolean> {
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

/** Reports whether a fault is transient: no response, or a 4xx status (RFC 5321 section 4.2.1). */
const isPassing = ({ code = '', responseCode }: SmtpFault) =>
  responseCode === undefined ? PASSING.has(code) : responseCode >= 400 && responseCode < 500;

/** Reports whether TLS must be required, because a password would be sent to another machine. */
function canLeaveHost(url: string): boolean {
  const { protocol, username, hostname } = new URL(url);
  return protocol === 'smtp:' && username !== '' && !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

import { createTransport } from 'nodemailer';
import { Mail, type Message } from '../../kernel/mail.js';
import { refuse } from '../../kernel/refusal.js';
import { envelope } from './message.js';

/** A mail server that says nothing must not keep a visitor waiting. Milliseconds. */
const PATIENCE = { connectionTimeout: 5_000, greetingTimeout: 5_000, socketTimeout: 10_000 };

/** Mail by SMTP (`SMTP_URL`). */
export class SmtpMail extends Mail {
  readonly #transport;

  constructor(
    url: string,
    private readonly from: string,
    private readonly onError: (error: unknown) => void,
  ) {
    super();
    this.#transport = createTransport({ url, pool: true, maxConnections: 4, ...PATIENCE });
  }

  override async send(message: Message): Promise<void> {
    try {
      await this.#transport.sendMail(envelope(this.from, message));
    } catch (error) {
      this.onError(error);
      refuse('unavailable', 'The mail could not be sent.');
    }
  }

  stop() {
    this.#transport.close();
  }
}

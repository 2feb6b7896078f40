import { Mail, Outbox } from '../../kernel/ports/outside/mail.js';
import { refuse } from '../../kernel/refusal.js';

/** On a machine that others reach, without a mail server: what needs mail cannot be had. */
export class NoMail extends Mail {
  override async send(): Promise<void> {
    refuse('unavailable', 'No mail server is configured: the operator has not set SMTP_URL.');
  }

  override async isReachable() {
    return null;
  }
}

/** Mail is sent, or cannot be: there is nothing to look at. */
export class NoOutbox extends Outbox {
  override async list() {
    return null;
  }

  override async forget() {}
}

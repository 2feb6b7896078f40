import { Mail, Outbox } from '../../kernel/ports/outside/mail.js';
import { refuse } from '../../kernel/refusal.js';

/** Used on a public machine without a mail server. Refuses every operation that sends mail. */
export class NoMail extends Mail {
  override async send(): Promise<void> {
    refuse('unavailable', 'No mail server is configured: the operator has not set SMTP_URL.');
  }

  override async checkReachable() {
    return null;
  }
}

/** An outbox that is always empty. Used if mail is sent by a real server, or not at all. */
export class NoOutbox extends Outbox {
  override async list() {
    return null;
  }

  override async forget() {}
}

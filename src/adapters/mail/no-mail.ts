import { Mail, Outbox } from '../../kernel/ports/outside/mail.js';
import { refuse } from '../../kernel/refusal.js';

/** Used on a publicly reachable machine that has no mail server. Refuses any operation that needs to send mail. */
export class NoMail extends Mail {
  override async send(): Promise<void> {
    refuse('unavailable', 'No mail server is configured: the operator has not set SMTP_URL.');
  }

  override async isReachable() {
    return null;
  }
}

/** Used if mail is sent through a real server or cannot be sent at all. There are no messages to show. */
export class NoOutbox extends Outbox {
  override async list() {
    return null;
  }

  override async forget() {}
}

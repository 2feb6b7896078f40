import { Mail, Outbox } from '../../kernel/ports/outside/mail.js';
import { refuse } from '../../kernel/refusal.js';

/** Used on a publicly reachable machine without a mail server. Anything that needs mail is refused. */
export class NoMail extends Mail {
  override async send(): Promise<void> {
    refuse('unavailable', 'No mail server is configured: the operator has not set SMTP_URL.');
  }

  override async isReachable() {
    return null;
  }
}

/** Used if mail goes to a real server, or cannot be sent at all, so there are no messages to show. */
export class NoOutbox extends Outbox {
  override async list() {
    return null;
  }

  override async forget() {}
}

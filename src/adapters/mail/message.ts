import type SMTPTransport from 'nodemailer/lib/smtp-transport/index.js';
import type { Message } from '../../kernel/ports/outside/mail.js';

/** Converts a message to nodemailer’s format. Never loads files or URLs. */
export const envelope = (from: string, { to, subject, text, html }: Message): SMTPTransport.MailOptions => ({
  from,
  to: { name: '', address: to },
  subject,
  text,
  html,
  // These headers suppress automatic replies: the first one according to RFC 3834, the second one in Exchange.
  headers: { 'auto-submitted': 'auto-generated', 'x-auto-response-suppress': 'All' },
  disableFileAccess: true,
  disableUrlAccess: true,
});

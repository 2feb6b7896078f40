import type SMTPTransport from 'nodemailer/lib/smtp-transport/index.js';
import type { Message } from '../../kernel/ports/outside/mail.js';

/** Converts a message to nodemailer’s format. Never loads files or URLs. */
export const envelope = (from: string, { to, subject, text, html }: Message): SMTPTransport.MailOptions => ({
  from,
  to: { name: '', address: to },
  subject,
  text,
  html,
  // Suppresses automatic replies (RFC 3834). Exchange uses the second header for that.
  headers: { 'auto-submitted': 'auto-generated', 'x-auto-response-suppress': 'All' },
  disableFileAccess: true,
  disableUrlAccess: true,
});

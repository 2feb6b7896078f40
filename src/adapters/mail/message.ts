import type SMTPTransport from 'nodemailer/lib/smtp-transport/index.js';
import type { Message } from '../../kernel/ports/outside/mail.js';

/** The message as nodemailer takes it. Files and addresses in it are never followed. */
export const envelope = (from: string, { to, subject, text, html }: Message): SMTPTransport.MailOptions => ({
  from,
  to: { name: '', address: to },
  subject,
  text,
  html,
  // Asks for no automatic replies (RFC 3834); Exchange has a header of its own for that.
  headers: { 'auto-submitted': 'auto-generated', 'x-auto-response-suppress': 'All' },
  disableFileAccess: true,
  disableUrlAccess: true,
});

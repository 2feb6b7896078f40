import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { isCode } from '../../kernel/faults/error-code.js';
import { Mail, type Message, Outbox, type OutboxEntry } from '../../kernel/ports/outside/mail.js';
import { envelope } from './message.js';

const LISTED = 100;

/** Name prefix of files that are still being written. */
const DRAFT = '.';

/** Writes mail to a folder as it would be sent, with a JSON file for the page that lists mail. */
export class OutboxMail extends Mail implements Outbox {
  readonly #transport = createTransport({ streamTransport: true, buffer: true, newline: 'unix' });

  constructor(
    private readonly folder: string,
    private readonly from: string,
    private readonly say: (line: string) => void,
  ) {
    super();
  }

  override async send(message: Message): Promise<void> {
    const at = new Date().toISOString();
    const name = `${at.replace(/[:.]/g, '-')}-${randomUUID().slice(0, 8)}`;
    const { message: bytes } = await this.#transport.sendMail(envelope(this.from, message));
    const { to, subject, text } = message;
    const links = text.match(/https?:\/\/\S+/g) ?? [];
    const entry: OutboxEntry = { at, to, subject, text, links };
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    await this.#write(`${name}.eml`, bytes as Buffer);
    await this.#write(`${name}.json`, JSON.stringify(entry));
    this.say(`Mail: ${subject}. ${links[0] ?? ''} (${join(this.folder, name)}.eml)`);
  }

  override async checkReachable(): Promise<boolean> {
    const draft = join(this.folder, `${DRAFT}${randomUUID()}`);
    try {
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
      await writeFile(draft, '', { mode: 0o600 });
      return true;
    } catch {
      return false;
    } finally {
      await rm(draft, { force: true });
    }
  }

  async list(): Promise<readonly OutboxEntry[]> {
    const newest = (await this.#names()).toSorted().reverse().slice(0, LISTED);
    const entries = await Promise.all(newest.map((name) => this.#entry(name)));
    return entries.filter((entry) => entry !== null);
  }

  async forget({ email }: { readonly email: string }): Promise<void> {
    for (const name of await this.#names()) {
      const entry = await this.#entry(name);
      if (!entry || !`${entry.to} ${entry.text}`.toLowerCase().includes(email.toLowerCase())) continue;
      for (const file of [name, name.replace(/json$/, 'eml')]) await rm(join(this.folder, file), { force: true });
    }
  }

  async #names(): Promise<string[]> {
    const names = await readdir(this.folder).catch(() => []);
    return names.filter((name) => name.endsWith('.json') && !name.startsWith(DRAFT));
  }

  /** Reads a mail from the outbox. Returns null if the mail was removed in the meantime. */
  async #entry(name: string): Promise<OutboxEntry | null> {
    try {
      return JSON.parse(await readFile(join(this.folder, name), 'utf8'));
    } catch (error) {
      if (isCode(error, 'ENOENT')) return null;
      throw error;
    }
  }

  /** Writes a temporary file first, so that incomplete files are never listed. */
  async #write(name: string, content: string | Buffer) {
    const draft = join(this.folder, `${DRAFT}${name}`);
    await writeFile(draft, content, { mode: 0o600 });
    await rename(draft, join(this.folder, name));
  }
}

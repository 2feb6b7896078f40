import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

export type Arrived = Email & {
  /** Recipients according to the SMTP envelope. */
  readonly recipients: readonly string[];
  readonly raw: string;
  readonly secure: boolean;
  readonly user: string | null;
};

/** The SMTP code for the next `times` recipients. Later recipients get 250. */
type Mood = { readonly answer: number; readonly times: number };

/** A real mail server on loopback that stores its mail and can be made to fail. */
export class MailServer {
  readonly mails: Arrived[] = [];
  connections = 0;
  #server: SMTPServer;
  #port = 0;
  #mood: Mood = { answer: 250, times: 0 };

  private constructor(private readonly options: SMTPServerOptions) {
    this.#server = this.#make();
  }

  static async open(options: SMTPServerOptions = { authOptional: true, disabledCommands: ['STARTTLS', 'AUTH'] }) {
    const server = new MailServer(options);
    await server.up();
    return server;
  }

  get port() {
    return this.#port;
  }

  get url() {
    return `smtp://127.0.0.1:${this.#port}`;
  }

  /** Makes the server respond to the next `times` recipients with this SMTP code. */
  say(answer: number, times = Number.POSITIVE_INFINITY) {
    this.#mood = { answer, times };
  }

  /** Starts listening. After a stop, uses the previous port again. */
  async up() {
    this.#server = this.#make();
    const listening = this.#server.listen(this.#port, '127.0.0.1');
    await once(listening, 'listening');
    this.#port = (listening.address() as AddressInfo).port;
  }

  async down() {
    await new Promise<void>((resolve) => this.#server.close(resolve));
  }

  /** Returns the newest mail to an address, with its link and code. */
  newest(to: string) {
    const mail = this.mails.findLast(({ recipients }) => recipients.includes(to.toLowerCase()));
    if (!mail) throw new Error(`No mail to ${to}.`);
    const [link = ''] = mail.text?.match(/https?:\/\/\S+/g) ?? [];
    const { pathname, search } = new URL(link);
    return {
      mail,
      link,
      path: pathname + search,
      code: /\b[0-9A-Z]{4}-[0-9A-Z]{4}\b/.exec(mail.text ?? '')?.[0] ?? '',
    };
  }

  #make() {
    const server = new SMTPServer({
      // After a stop, waits at most 10 ms for clients before closing their connections.
      closeTimeout: 10,
      ...this.options,
      onConnect: (_session, callback) => {
        this.connections++;
        callback();
      },
      onRcptTo: (_address, _session, callback) => {
        if (this.#mood.times <= 0) return callback();
        this.#mood = { ...this.#mood, times: this.#mood.times - 1 };
        callback(Object.assign(new Error('Not now'), { responseCode: this.#mood.answer }));
      },
      onData: (stream, session, callback) => {
        stream.toArray().then(async (chunks: Buffer[]) => {
          const raw = Buffer.concat(chunks);
          this.mails.push({
            ...(await PostalMime.parse(raw)),
            recipients: session.envelope.rcptTo.map(({ address }) => address.toLowerCase()),
            raw: raw.toString(),
            secure: Boolean(session.secure),
            user: session.user ?? null,
          });
          callback();
        }, callback);
      },
    });
    server.on('error', () => undefined);
    return server;
  }
}

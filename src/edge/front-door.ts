import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { namesOneHost } from './one-host.js';

/** Answers a request itself, or says `false` and leaves it to the service behind. */
export type Doorkeeper = (request: IncomingMessage, response: ServerResponse) => boolean;

/**
 * The one HTTP server of the process. Requests for hosted sites are answered here, before the framework sees them
 * (architecture, section 4: one trivial route through the framework costs more than a page does).
 */
export class FrontDoor {
  #keeper: Doorkeeper = () => false;

  /** From now on the doorkeeper sees every request first. */
  place(keeper: Doorkeeper) {
    this.#keeper = keeper;
  }

  /** For Fastify: makes the server that hands on what the doorkeeper leaves. */
  readonly serverFactory = (behind: RequestListener): Server =>
    createServer(
      { keepAliveTimeout: 65_000, headersTimeout: 20_000, requestTimeout: 900_000, maxHeaderSize: 16_384 },
      (request, response) => {
        // What is unclear about its host is for the service to refuse, whose site ever it may mean.
        if (namesOneHost(request) && this.#keeper(request, response)) return;
        behind(request, response);
      },
    );
}

import type { OpenAPIObject } from '@nestjs/swagger';

/** Holds the description, which can be made only once every route is there. */
export class Description {
  #document: OpenAPIObject | null = null;

  write(document: OpenAPIObject) {
    this.#document = document;
  }

  read() {
    return this.#document;
  }
}

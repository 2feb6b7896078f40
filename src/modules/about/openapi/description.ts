import type { OpenAPIObject } from '@nestjs/swagger';

/** Holds the description, which cannot be made before every route is declared. */
export class Description {
  #document: OpenAPIObject | null = null;

  write(document: OpenAPIObject) {
    this.#document = document;
  }

  read() {
    return this.#document;
  }
}

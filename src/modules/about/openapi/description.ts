import type { OpenAPIObject } from '@nestjs/swagger';

/** Creates the API description at its first use, after every route has been declared. */
export class Description {
  #make: (() => OpenAPIObject) | null = null;
  #document: OpenAPIObject | null = null;

  makeBy(make: () => OpenAPIObject) {
    this.#make = make;
  }

  read(): OpenAPIObject | null {
    this.#document ??= this.#make?.() ?? null;
    return this.#document;
  }
}

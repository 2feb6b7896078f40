import type { OpenAPIObject } from '@nestjs/swagger';

/** Holds the API description. It is created on first use, after every route has been declared. */
export class Description {
  #make: (() => OpenAPIObject) | null = null;
  #document: OpenAPIObject | null = null;

  makeBy(make: () => OpenAPIObject) {
    this.#make = make;
  }

  /** Null while routes are still being declared. */
  read(): OpenAPIObject | null {
    this.#document ??= this.#make?.() ?? null;
    return this.#document;
  }
}

import type { OpenAPIObject } from '@nestjs/swagger';

/** Keeps the API description, which is created at its first use, after every route has been declared. */
export class Description {
  #make: (() => OpenAPIObject) | null = null;
  #document: OpenAPIObject | null = null;

  makeBy(make: () => OpenAPIObject) {
    this.#make = make;
  }

  /** Returns null while routes are still being declared. */
  read(): OpenAPIObject | null {
    this.#document ??= this.#make?.() ?? null;
    return this.#document;
  }
}

import type { OpenAPIObject } from '@nestjs/swagger';

/** Holds the description, which cannot be made before every route is declared, and is made when it is first read. */
export class Description {
  #make: (() => OpenAPIObject) | null = null;
  #document: OpenAPIObject | null = null;

  makeBy(make: () => OpenAPIObject) {
    this.#make = make;
  }

  /** Null as long as routes are still being declared. */
  read(): OpenAPIObject | null {
    this.#document ??= this.#make?.() ?? null;
    return this.#document;
  }
}

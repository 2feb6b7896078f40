import type { Markup } from './markup.js';

/** How near the end is the end, in pixels. */
const NEAR = 8;
/** How many lines a page holds; of more the oldest go. */
const MOST_LINES = 20_000;

/** The log on the page: it grows at its end, and the page follows it there until the reader looks elsewhere. */
export class LogPage {
  readonly #list = one('.log');
  readonly #button = one('#follow');
  #follows = true;
  #unseen = 0;
  #top = scrollY;

  /** Of something that `isOver` nothing comes, and there is nothing to follow. */
  constructor(isOver: boolean) {
    this.#button.addEventListener('click', () => this.#follow(!this.#follows));
    addEventListener('scroll', () => this.#scrolled(), { passive: true });
    // A reader who comes by a link to a line wants to read that line.
    this.#follow(!isOver && location.hash === '');
    this.#button.hidden = isOver;
  }

  append(items: Markup): void {
    const before = this.#list.childElementCount;
    this.#list.insertAdjacentHTML('beforeend', items.markup);
    this.#unseen += this.#list.childElementCount - before;
    while (this.#list.childElementCount > MOST_LINES) this.#list.firstElementChild?.remove();
    if (this.#follows) requestAnimationFrame(() => this.#toEnd());
    else this.#label();
  }

  /** Nothing more comes. */
  end(): void {
    this.#toEnd();
    this.#button.hidden = true;
    this.#follows = false;
  }

  #follow(follows: boolean) {
    this.#follows = follows;
    this.#unseen = 0;
    this.#label();
    if (follows) this.#toEnd();
  }

  #label() {
    const news = this.#unseen > 0 ? ` (${this.#unseen} new)` : '';
    this.#button.textContent = this.#follows ? 'Pause' : `Follow${news}`;
  }

  #toEnd() {
    if (!this.#follows) return;
    scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' });
    this.#top = scrollY;
  }

  /** Upwards is away from the end, which only a reader goes; at the end again, the page follows again. */
  #scrolled() {
    const left = document.documentElement.scrollHeight - innerHeight - scrollY;
    if (scrollY < this.#top - NEAR && left > NEAR && this.#follows) this.#follow(false);
    else if (left <= NEAR && scrollY > this.#top && !this.#follows) this.#follow(true);
    this.#top = scrollY;
  }
}

/** The one element of this page that fits. */
export function one(selector: string): HTMLElement {
  const found = document.querySelector<HTMLElement>(selector);
  if (!found) throw new Error(`This page has no element ${selector}.`);
  return found;
}

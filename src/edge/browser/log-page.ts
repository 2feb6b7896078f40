import type { Markup } from './markup.js';

/** The page keeps scrolling with the log while the reader is within this many pixels of the end of the page. */
const NEAR = 8;
/** Maximum number of lines on a page. The oldest lines are removed first. */
const MAX_LINES = 20_000;

/** A log to which lines are appended. The page scrolls with the log until the reader scrolls up. */
export class FollowedLog {
  readonly #list = one('.log');
  readonly #button = one('#follow');
  #follows = true;
  #unseen = 0;
  #top = scrollY;

  constructor(isOver: boolean) {
    this.#button.addEventListener('click', () => this.#follow(!this.#follows));
    addEventListener('scroll', () => this.#scrolled(), { passive: true });
    // Don't scroll away from a line that the URL links to.
    this.#follow(!isOver && location.hash === '');
    this.#button.hidden = isOver;
  }

  append(items: Markup): void {
    const before = this.#list.childElementCount;
    this.#list.insertAdjacentHTML('beforeend', items.markup);
    this.#unseen += this.#list.childElementCount - before;
    while (this.#list.childElementCount > MAX_LINES) this.#list.firstElementChild?.remove();
    if (this.#follows) requestAnimationFrame(() => this.#toEnd());
    else this.#label();
  }

  /** Scrolls to the end of a complete log, unless the URL links to a line. */
  showEnd(): void {
    if (location.hash !== '') return;
    scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' });
    this.#top = scrollY;
  }

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

  #scrolled() {
    const left = document.documentElement.scrollHeight - innerHeight - scrollY;
    if (scrollY < this.#top - NEAR && left > NEAR && this.#follows) this.#follow(false);
    else if (left <= NEAR && scrollY > this.#top && !this.#follows) this.#follow(true);
    this.#top = scrollY;
  }
}

export function one(selector: string): HTMLElement {
  const found = document.querySelector<HTMLElement>(selector);
  if (!found) throw new Error(`This page has no element ${selector}.`);
  return found;
}

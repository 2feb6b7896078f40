import { type LogLine, logLine } from './log-line.js';
import { one } from './log-page.js';
import { joined } from './markup.js';

/** Matches a fragment such as `#L12` or `#L12-L20`. */
const RANGE = /^#L(\d{1,9})(?:-L(\d{1,9}))?$/;

/** Highlights the lines in the URL's fragment. A shift-click selects a range, and arrow keys move between lines. */
export function linkLines(earlier: () => Promise<readonly LogLine[]>): void {
  const list = one('.log');

  const show = async () => {
    const [, first, last = first] = RANGE.exec(location.hash) ?? [];
    for (const line of list.querySelectorAll('.chosen')) line.classList.remove('chosen');
    if (first === undefined) return;
    if (Number(first) < numberOf(list.querySelector('[id]'))) await showEarlier(list, earlier);
    for (let n = Number(first); n <= Number(last); n++) {
      const line = document.getElementById(`L${n}`);
      if (!line) break;
      line.classList.add('chosen');
    }
    document.getElementById(`L${first}`)?.scrollIntoView({ block: 'center' });
  };

  list.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a[href^="#L"]') : null;
    const [, first] = RANGE.exec(location.hash) ?? [];
    if (!link || !event.shiftKey || first === undefined) return;
    event.preventDefault();
    const [from, to] = [Number(first), numberOf(link.parentElement)].sort((one, other) => one - other);
    history.replaceState(null, '', `#L${from}-L${to}`);
    void show();
  });

  // The log is a single tab stop, because it can contain thousands of links. Arrow keys move between its lines.
  list.tabIndex = 0;
  list.addEventListener('keydown', (event) => {
    if (!/^Arrow(Up|Down)$/.test(event.key) || event.altKey || event.ctrlKey || event.metaKey) return;
    const lines = [...list.querySelectorAll<HTMLElement>('a')];
    const current = lines.findIndex((line) => document.activeElement?.isSameNode(line));
    const next = current < 0 ? lines.findIndex(isInView) : current + (event.key === 'ArrowDown' ? 1 : -1);
    event.preventDefault();
    lines[next]?.focus();
  });

  const button = document.querySelector<HTMLElement>('#earlier');
  button?.addEventListener('click', () => void showEarlier(list, earlier));
  if (button) button.hidden = false;
  addEventListener('hashchange', () => void show());
  void show();
}

const isInView = (line: Element) => line.getBoundingClientRect().top > innerHeight / 4;

const numberOf = (line: Element | null) => Number(line?.id.slice(1) ?? 0);

async function showEarlier(list: Element, earlier: () => Promise<readonly LogLine[]>) {
  const first = numberOf(list.querySelector('[id]'));
  const lines = (await earlier()).filter(({ n }) => n < first);
  list.insertAdjacentHTML('afterbegin', joined(lines.map(logLine)).markup);
  document.querySelector('#left-out')?.remove();
}

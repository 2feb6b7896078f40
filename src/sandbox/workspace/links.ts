/** Maximum number of steps of a path. A longer path is a loop or an attempt to waste time. */
const MAX_STEPS = 256;

/**
 * Returns why a link is left out of a work tree: its target is outside, in `.git`, or empty. Returns null if the link
 * can be kept. `links` contains all targets by path, because a link may lead through another link.
 */
export function whyOutside(path: string, links: ReadonlyMap<string, string>): string | null {
  const target = links.get(path) ?? '';
  const outside = `it is a symbolic link to “${target.slice(0, 200)}”, which is outside the repository`;
  const at = path.split('/').slice(0, -1);
  // The remaining steps of the path, in reverse order.
  const ahead = stepsOf(target);
  if (target === '' || target.startsWith('/') || target.includes('\0') || ahead.length > MAX_STEPS) return outside;
  for (let steps = 0, next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    if (++steps > MAX_STEPS) return 'it is a symbolic link that points to itself or goes through too many other links';
    if (next.toLowerCase() === '.git') return outside;
    if (next === '..') {
      if (at.pop() === undefined) return outside;
      continue;
    }
    at.push(next);
    const onward = links.get(at.join('/'));
    if (onward === undefined) continue;
    if (onward.startsWith('/')) return outside;
    at.pop();
    ahead.push(...stepsOf(onward));
  }
  return null;
}

const stepsOf = (target: string) =>
  target
    .split('/', MAX_STEPS + 2)
    .filter((step) => step !== '' && step !== '.')
    .reverse();

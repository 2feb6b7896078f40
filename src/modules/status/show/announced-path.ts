const SERVED = '/status';

/**
 * Returns a function that maps the public path of the status page or its feed (`STELE_STATUS_URL`) to the route that
 * serves it. If the page is at the root of a separate host, the proxy for that host must map the paths instead.
 */
export function servedPath(statusUrl: string): (url: string) => string {
  const announced = new URL(statusUrl).pathname;
  if (announced === '/' || announced === SERVED) return (url) => url;
  return (url) => {
    const path = url.split('?', 1)[0] ?? '';
    const rest = path.startsWith(announced) ? path.slice(announced.length) : null;
    return rest === '' || rest === '.rss' ? SERVED + url.slice(announced.length) : url;
  };
}

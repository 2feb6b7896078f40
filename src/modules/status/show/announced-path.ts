const SERVED = '/status';

/**
 * Makes a function that leads requests for the announced path of the status page, and for its feed, to the routes
 * (`STELE_STATUS_URL`). A page announced at the root of a host of its own is for the proxy there to lead here.
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

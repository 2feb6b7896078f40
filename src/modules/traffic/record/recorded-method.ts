const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'REPORT', 'TRACE']);

/** Returns the method to record: a known method, or `OTHER`. */
export const recordedMethod = (method: string): string => (METHODS.has(method) ? method : 'OTHER');

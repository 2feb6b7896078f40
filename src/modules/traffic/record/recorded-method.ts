const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'REPORT', 'TRACE']);

/** A method as it is kept: one of few, or `OTHER`. */
export const recordedMethod = (method: string): string => (METHODS.has(method) ? method : 'OTHER');

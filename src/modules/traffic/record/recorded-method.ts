const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'REPORT', 'TRACE']);

export const recordedMethod = (method: string): string => (METHODS.has(method) ? method : 'OTHER');

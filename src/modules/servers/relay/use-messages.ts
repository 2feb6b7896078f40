/** One-byte messages about the use of another process's server. Older workers interpret all of them as `failed`. */
export const useMessages = {
  /** The last request failed. */
  failed: '!',
  /** Only WebSockets are open, and they have been silent for a while. */
  silent: 's',
  /** A request has begun, or a WebSocket is no longer silent. */
  heard: 'h',
} as const;

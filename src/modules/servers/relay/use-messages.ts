/** One-byte messages about the use of another process's server. Older workers interpret all of them as `failed`. */
export const useMessages = {
  /** The visitor's last request failed. */
  failed: '!',
  /** The visitors have only WebSockets open, which have been silent for a while. */
  silent: 's',
  /** A request has begun, or a WebSocket is no longer silent. */
  heard: 'h',
} as const;

/** One-byte messages about the use of another process's server. Older workers interpret all of them as `failed`. */
export const useMessages = {
  /** The visitor's last request failed. */
  failed: '!',
  /** All open connections are WebSockets that have had no traffic for a while. */
  silent: 's',
  /** A request has begun, or there is traffic on a WebSocket again. */
  heard: 'h',
} as const;

/** What a process says about its use of a server in another process, one byte each. An older worker takes all for `failed`. */
export const useMessages = {
  /** The last request came to nothing. */
  failed: '!',
  /** There are only WebSockets, and they have been silent for a while. */
  silent: 's',
  /** There are requests again, or a WebSocket is no longer silent. */
  heard: 'h',
} as const;

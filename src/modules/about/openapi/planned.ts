/** The paths of the interface. Those without a route yet are described as planned, and answer 404. */
export const planned: readonly (readonly [
  path: string,
  methods: readonly ('get' | 'post' | 'put' | 'patch' | 'delete')[],
])[] = [];

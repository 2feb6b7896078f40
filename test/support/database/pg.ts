// Benchmarks import pg from here, because a file in `bench/` would get the copy in `bench/node_modules`.
export { default as pg } from 'pg';

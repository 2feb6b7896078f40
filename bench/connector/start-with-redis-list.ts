// Starts the product with a Redis list instead of its work queue and work log: `node start-with-redis-list.ts`, with
// the port of Redis in STELE_BENCH_REDIS. The HTTP code is the same, but nothing is recorded, leased or kept, and the
// work of an agent that dies is lost.
import { Redis } from 'ioredis';
import { product } from '../product.ts';

const { AtOnce } = await product('modules/connector/at-once.js');
const { NextWork } = await product('modules/connector/poll/next-work.js');

const connect = () => new Redis({ port: Number(process.env.STELE_BENCH_REDIS), host: '127.0.0.1' });
const sender = connect();
/** Idle Redis connections for polls. Each poll needs its own connection, because BLPOP blocks the connection. */
const idle: Redis[] = [];
const LEASE_MS = 60_000;

AtOnce.prototype.put = async ({ workId, siteId, input }) => {
  await sender.rpush(`work ${siteId}`, JSON.stringify({ workId, input: input.text }));
  return true;
};
AtOnce.prototype.take = async ({ siteId }) => {
  const redis = idle.pop() ?? connect();
  const taken = await redis.blpop(`work ${siteId}`, 25);
  idle.push(redis);
  return taken && { ...JSON.parse(taken[1]), attempt: 1, until: new Date(Date.now() + LEASE_MS) };
};
AtOnce.prototype.finish = async ({ workId, output }) => {
  await sender.publish('answers', JSON.stringify({ workId, output }));
  return true;
};
NextWork.prototype.isWantedBy = () => false;
NextWork.prototype.expectsResult = () => false;

await product('main.js');

import 'reflect-metadata';
import { Body, Controller, Module, Post, Sse } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Subject } from 'rxjs';

/** Nest’s own server-sent events as documented: one subject, and an observable for each client. */
const events = new Subject<{ id: string; type: string; data: object }>();
let id = 0;

class Live {
  watch() {
    return events;
  }
  tell(data: object) {
    events.next({ id: String(++id), type: 'run.log', data });
    return {};
  }
}
const on = (method: 'watch' | 'tell', decorate: MethodDecorator) => {
  const descriptor = Object.getOwnPropertyDescriptor(Live.prototype, method);
  if (descriptor) decorate(Live.prototype, method, descriptor);
};
on('watch', Sse('sub'));
on('tell', Post('pub'));
Body()(Live.prototype, 'tell', 0);
Reflect.defineMetadata('design:paramtypes', [Object], Live.prototype, 'tell');
Controller()(Live);

class Main {}
Module({ controllers: [Live] })(Main);

const app = await NestFactory.create(Main, new FastifyAdapter(), { logger: false });
await app.listen(Number(process.env.PORT), '127.0.0.1');
console.log('ready');

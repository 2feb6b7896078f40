import { describe, expect, it } from '@jest/globals';
import { findBaseImages, whyTriggerRefused } from './dockerfile.js';

const REGISTRIES = ['docker.io', 'ghcr.io', 'localhost'];
const bases = (text: string) => findBaseImages(text, REGISTRIES);

describe('findBaseImages', () => {
  it.each([
    ['FROM node:24', ['docker.io/library/node:24']],
    ['FROM node', ['docker.io/library/node:latest']],
    ['from someone/app:1.2', ['docker.io/someone/app:1.2']],
    ['FROM ghcr.io/a/b/c:x AS build\nRUN make\nFROM scratch\nCOPY --from=build /a /b', ['ghcr.io/a/b/c:x']],
    [
      'FROM node:24 AS a\nFROM alpine\nCOPY --from=0 /a /a\nCOPY --from=busybox:1 /b /b',
      ['docker.io/library/node:24', 'docker.io/library/alpine:latest', 'docker.io/library/busybox:1'],
    ],
    [`FROM node@sha256:${'a'.repeat(64)}`, [`docker.io/library/node@sha256:${'a'.repeat(64)}`]],
    [`ARG TAG=24\nARG BASE=node:$TAG\nFROM \${BASE}`, ['docker.io/library/node:24']],
    ['# a comment\r\n\r\nFROM scratch\r\nADD a.tar.gz /\r\n', []],
    ['FROM localhost/base\nRUN a && \\\n  # why\n\n  b', ['localhost/base:latest']],
    ['FROM al\\\npine', ['docker.io/library/alpine:latest']],
    ['FROM node:24 AS Base\nFROM base\nHEALTHCHECK CMD true\nONBUILD COPY . /app', ['docker.io/library/node:24']],
    ['FROM scratch\nCOPY --chown=1:1 --chmod=755 a b', []],
    ['# syntax=docker/dockerfile:1\nFROM node', ['docker.io/library/node:latest']],
    ['#Syntax = docker.io/docker/dockerfile:1.7\nFROM scratch', []],
    ['# syntax=docker/dockerfile:latest\nFROM scratch', []],
    ['# syntax=docker/dockerfile\nFROM scratch', []],
  ])('finds the base images: %j', (text, expected) => expect(bases(text)).toEqual(expected));

  it.each([
    ['# syntax=docker/dockerfile:1-labs\nFROM node', /only docker\/dockerfile:1 is supported/],
    ['# syntax=docker/dockerfile:1.evil.example/x\nFROM node', /only docker\/dockerfile:1 is supported/],
    ['# escape=`\nFROM node', /directive escape/],
    ['#Syntax = evil.example/x\nFROM node', /frontend evil\.example\/x.*change it to # syntax=docker\/dockerfile:1/],
    ['FROM evil.example/x', /only images from these registries are allowed: docker\.io, ghcr\.io, localhost/],
    ['FROM node\nCOPY --from=evil.example/x a b', /image from evil\.example/],
    ['FROM node\nCOPY --from=alpine\\\n.evil.example/x a b', /image from alpine\.evil\.example/],
    ['FROM node\nCOPY --from=$X a b', /COPY --from with a variable/],
    ['FROM $BASE', /a variable whose value cannot be determined/],
    ['FROM 3f57d9401f8d', /invalid or ambiguous image name/],
    ['FROM a', /invalid or ambiguous image name/],
    [`FROM sha256:${'a'.repeat(64)}`, /invalid or ambiguous image name/],
    ['FROM dir:etc', /invalid or ambiguous image name/],
    ['FROM oci-archive:/var/lib/x.tar', /invalid or ambiguous image name/],
    ['FROM docker://docker.io/library/node', /invalid or ambiguous image name/],
    ['FROM containers-storage:node', /invalid or ambiguous image name/],
    ['FROM "node"', /invalid or ambiguous image name/],
    ['FROM --platform=$BUILDPLATFORM node', /only built for the platform of this machine/],
    ['FROM node\nADD http://169.254.169.254/latest /x', /ADD whose source may be outside the repository/],
    ['FROM node\nADD ["http:\\/\\/a.example/x", "/x"]', /ADD whose source may be outside the repository/],
    ['FROM node\nENV A=http://a\nADD $A /x', /ADD whose source may be outside the repository/],
    ['FROM node\nADD git@github.com:a/b.git /x', /ADD whose source may be outside the repository/],
    ['FROM node\nONBUILD ADD https://a.example/x /x', /ADD whose source may be outside the repository/],
    ['FROM node\nADD --keep-git-dir=true a b', /--keep-git-dir/],
    ['FROM node\nRUN --network=host curl a', /--network=host/],
    ['FROM node\nRUN --security=insecure mount', /--security=insecure/],
    ['FROM node\nRUN --mount=type=cache,target=/x make', /--mount=type=cache/],
    ['FROM node\nRUN <<EOF\necho\nEOF', /here-document/],
    ['FROM node\nCOPY <<EOF /x\na\nEOF', /here-document/],
    ['FROM node\nRUN echo \\\\\nFROM evil.example/x', /two backslashes/],
    ['FROM node\nRUN a\u0085FROM evil.example/x', /contains a control character/],
    ['FROM node\nINCLUDE x', /unknown instruction: INCLUDE/],
    ['RUN true', /RUN before the first FROM/],
    ['', /has no FROM/],
  ])('refuses an instruction that is ambiguous or reaches outside the build: %j', (text, why) =>
    expect(() => bases(text)).toThrow(why),
  );

  it.each([
    ['COPY . /app', null],
    ['RUN npm ci', null],
    ['ADD http://169.254.169.254/ /x', /ADD whose source may be outside the repository/],
    ['COPY --from=evil.example/x a b', /image from evil\.example/],
    ['COPY --from=node a b', /another image/],
    ['FROM node', /another image/],
  ])('restricts an ONBUILD instruction of a base image: %j', (trigger, why) => {
    const refusal = whyTriggerRefused(trigger, REGISTRIES);
    if (why === null) expect(refusal).toBeNull();
    else expect(refusal).toMatch(why);
  });
});

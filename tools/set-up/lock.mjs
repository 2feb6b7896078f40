import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { inRoot } from './places.mjs';

const lock = inRoot('.stele', 'set-up.lock');
const breaking = inRoot('.stele', 'set-up.breaking');
const beat = 2_000;
const silence = 20_000;

/**
 * Runs `work` while no other set-up of this checkout does. The lock is a folder with its owner's name in it, renamed
 * into place, which only one can do. Its owner touches it, so that one left by a kill or a power cut is recognised.
 */
export async function locked(work) {
  mkdirSync(inRoot('.stele'), { recursive: true });
  let told = false;
  while (!take()) {
    if (isStale(lock)) {
      breakStale();
      continue;
    }
    if (!told) console.error(`Waiting for another set-up of this checkout (process ${owner(lock).pid ?? 'unknown'}).`);
    told = true;
    await delay(200);
  }
  const beating = setInterval(touch, beat);
  try {
    return await work();
  } finally {
    clearInterval(beating);
    rmSync(lock, { recursive: true, force: true });
  }
}

function take() {
  const mine = mkdtempSync(`${lock}-`);
  writeFileSync(join(mine, 'owner'), JSON.stringify({ pid: process.pid, host: hostname() }));
  try {
    renameSync(mine, lock);
    return true;
  } catch (error) {
    rmSync(mine, { recursive: true, force: true });
    if (['ENOTEMPTY', 'EEXIST'].includes(error.code)) return false;
    throw error;
  }
}

/** One at a time, or the second would remove the lock that the first has taken meanwhile. */
function breakStale() {
  try {
    mkdirSync(breaking);
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    if (age(breaking) > silence) rmSync(breaking, { recursive: true, force: true });
    return;
  }
  if (isStale(lock)) rmSync(lock, { recursive: true, force: true });
  rmSync(breaking, { recursive: true, force: true });
}

function isStale(folder) {
  const { pid, host } = owner(folder);
  if (age(folder) > silence) return true;
  return host === hostname() && !isAlive(pid);
}

function owner(folder) {
  try {
    return JSON.parse(readFileSync(join(folder, 'owner'), 'utf8'));
  } catch {
    return {};
  }
}

/** In milliseconds since it was last touched; 0 for one that has just gone. */
function age(folder) {
  try {
    return Date.now() - statSync(folder).mtimeMs;
  } catch {
    return 0;
  }
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function touch() {
  try {
    const now = new Date();
    utimesSync(lock, now, now);
  } catch {
    // Someone took it for stale, as after a machine slept. Their install then waits for no one, which npm survives.
  }
}

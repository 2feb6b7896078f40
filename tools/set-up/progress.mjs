const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

/** Shows progress on standard error: a moving line on a terminal, otherwise a line every ten seconds. */
export function progress(what, remark) {
  const out = process.stderr;
  const begin = Date.now();
  const seconds = () => ((Date.now() - begin) / 1000).toFixed(1);
  let state = '';
  let frame = 0;

  const move = () => {
    frame = (frame + 1) % frames.length;
    out.write(`\r\x1b[K${frames[frame]} ${what}  ${state || remark}  ${Math.floor(seconds())} s`);
  };
  const tell = () => out.write(`${what}: ${state || 'still running'} after ${Math.round(seconds())} s\n`);

  if (!out.isTTY) out.write(`${what} ${remark}\n`);
  const timer = out.isTTY ? setInterval(move, 100) : setInterval(tell, 10_000);
  return {
    say: (now) => {
      state = now;
    },
    end: (how) => {
      clearInterval(timer);
      out.write(`${out.isTTY ? '\r\x1b[K' : ''}${what}: ${how} in ${seconds()} s\n`);
    },
  };
}

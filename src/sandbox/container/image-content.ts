/** Commands that scripts of projects and npm packages call, under their GNU names. */
export const COMMANDS: readonly string[] = [
  ...['sh', 'bash', 'dash', 'busybox'],
  ...'[ arch b2sum base32 base64 basename basenc cat chgrp chmod chown cksum comm cp csplit cut date dd df'.split(' '),
  ...'dir dircolors dirname du echo env expand expr factor false fmt fold groups head hostid id install'.split(' '),
  ...'join link ln logname ls md5sum mkdir mkfifo mknod mktemp mv nice nl nohup nproc numfmt od paste'.split(' '),
  ...'pathchk pr printenv printf ptx pwd readlink realpath rm rmdir seq sha1sum sha224sum sha256sum'.split(' '),
  ...'sha384sum sha512sum shred shuf sleep sort split stat stdbuf sum sync tac tail tee test timeout'.split(' '),
  ...'touch tr true truncate tsort tty uname unexpand uniq unlink vdir wc who whoami yes'.split(' '),
  ...'awk cmp diff egrep fgrep file find gawk getent getopt git grep hostname ldd mawk patch pgrep pkill'.split(' '),
  ...'ps sed setsid tar which which.debianutils xargs'.split(' '),
  ...'brotli bunzip2 bzip2 gunzip gzip unxz unzip xz zcat zip zstd'.split(' '),
];

/** Files in `/etc` that programs need and that reveal nothing about a machine. */
export const ETC: readonly string[] = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ld.so.cache',
  '/etc/ld.so.conf',
  '/etc/mime.types',
];

/** Links in the root folder, and folders used as mount points or expected by programs. */
export const ROOT = {
  links: { bin: 'usr/bin', sbin: 'usr/sbin', lib: 'usr/lib', lib64: 'usr/lib64' },
  folders: ['usr/sbin', 'usr/lib', 'usr/lib64', 'dev', 'etc', 'home', 'opt', 'proc', 'run', 'sys', 'tmp', 'var'],
} as const;

/** Host names are resolved by the proxy, not inside the container. */
export const NAME_SERVICES = 'passwd: files\ngroup: files\nhosts: files\n';

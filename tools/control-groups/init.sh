#!/bin/busybox sh
# The init process of the virtual machine (try-v2.sh).
b=/bin/busybox
$b mount -t proc proc /proc
$b mount -t devtmpfs devtmpfs /dev
for pass in 1 2 3; do for module in /modules/*; do $b insmod "$module" 2>/dev/null; done; done
until [ -e /dev/vda ]; do $b sleep 1; done
$b mount -t ext4 /dev/vda /new
$b mount -t proc proc /new/proc
$b mount -t sysfs sysfs /new/sys
$b mount -t cgroup2 cgroup2 /new/sys/fs/cgroup
$b mount -t devtmpfs devtmpfs /new/dev
$b chmod 1777 /new/tmp
exec $b switch_root /new /bin/sh -c 'env PATH=/usr/bin:/usr/sbin node /opt/stele/try-v2.ts; echo o >/proc/sysrq-trigger; sleep 60'

#!/bin/sh
# Tests builds under cgroups v2 in a virtual machine: Debian's kernel in qemu, with a disk made from this machine's files.
# Needs no privileges and changes nothing on this machine. Emulation is slow: the test takes a minute or two.
#
#   apt-get install qemu-system-x86 busybox-static bubblewrap e2fsprogs
#   npm run build && sh tools/control-groups/try-v2.sh
#
# KERNEL is a folder with the unpacked kernel package (`dpkg-deb -x`). By default, the package is downloaded.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
PATH=$PATH:/usr/sbin:/sbin

kernel=${KERNEL:-}
if [ -z "$kernel" ]; then
  package=$(apt-cache depends linux-image-cloud-amd64 | awk '/Depends:/ { print $2; exit }')
  (cd "$work" && apt-get download "$package" >/dev/null 2>&1 && dpkg-deb -x ./*.deb kernel)
  kernel=$work/kernel
fi

# The disk contains the programs that builds and the test call, their libraries, the built service and npm.
disk=$work/disk
mkdir -p "$disk/usr/bin" "$disk/usr/sbin" "$disk/usr/lib" "$disk/usr/lib64" "$disk/opt" "$disk/dev" "$disk/proc" "$disk/sys" "$disk/tmp" "$disk/etc"
for name in bin sbin lib lib64; do ln -s "usr/$name" "$disk/$name"; done
with_libraries() {
  cp -L "$1" "$disk/usr/bin/${2:-$(basename "$1")}"
  for library in $(ldd "$1" 2>/dev/null | grep -o '/[^ ]*' || true); do
    mkdir -p "$disk/usr/$(dirname "${library#/usr}")"
    cp -nL "$library" "$disk/usr/${library#/usr}" 2>/dev/null || true
  done
}
for name in sh bwrap setpriv prlimit setsid perl mount umount chown chmod du cat rm sleep env; do
  with_libraries "$(readlink -f "$(command -v "$name")")" "$name"
done
with_libraries "$(node -p process.execPath)" node
cp -rL "$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")" "$disk/opt/npm"
ln -s /opt/npm/bin/npm-cli.js "$disk/usr/bin/npm"
mkdir "$disk/opt/stele" "$disk/opt/stele/node_modules"
cp -r "$root/dist" "$root/package.json" "$disk/opt/stele/"
cp -rL "$root/node_modules/ipaddr.js" "$disk/opt/stele/node_modules/"
cp "$root/tools/control-groups/try-v2.ts" "$disk/opt/stele/"
mkfs.ext4 -q -d "$disk" "$work/disk.img" 1G >/dev/null

# The initial RAM disk, which finds and mounts the disk.
first=$work/first
mkdir -p "$first/bin" "$first/modules" "$first/new" "$first/proc" "$first/dev"
cp "$(command -v busybox)" "$first/bin/busybox"
for name in virtio virtio_ring virtio_pci_legacy_dev virtio_pci_modern_dev virtio_pci virtio_blk; do
  find "$kernel/lib/modules" -name "$name.ko*" -exec cp {} "$first/modules/" \;
done
cp "$root/tools/control-groups/init.sh" "$first/init"
chmod +x "$first/init"
(cd "$first" && find . | busybox cpio -o -H newc 2>/dev/null >"$work/first.cpio")

qemu-system-x86_64 -accel tcg,thread=multi -m 2048 -smp 2 -display none -no-reboot -nodefaults -serial stdio -monitor none \
  -kernel "$kernel"/boot/vmlinuz-* -initrd "$work/first.cpio" -append 'console=ttyS0 quiet panic=-1' \
  -drive "file=$work/disk.img,format=raw,if=virtio" \
  2>&1 | tr -d '\r' | tee "$work/printed"
grep -q '^All of it holds\.$' "$work/printed"

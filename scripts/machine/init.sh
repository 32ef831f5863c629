#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The first program of the emulated machine (scripts/machine.sh). The kernel starts it in
# the first file system (initrd.py). It loads the modules, mounts Debian's root file system,
# and starts itself there again as process 1, which mounts the shared folders and becomes
# the agent.
#
# /machine/shares has a line for each shared folder: its tag of virtiofs, and its path, which
# is the same as on the machine outside. /machine/date has the seconds since 1970.
if [ ! -f /run/machine/token ]; then
  mount -t proc proc /proc
  mount -t sysfs sys /sys
  mount -t devtmpfs dev /dev
  exec </dev/console >/dev/console 2>&1
  for module in /modules/*; do
    insmod "$module" || echo "machine: cannot load $module"
  done
  tries=0
  until [ -b /dev/vda ] || [ $tries -ge 300 ]; do
    tries=$((tries + 1))
    sleep 0.1
  done
  mount -t ext4 -o ro,noload /dev/vda /newroot || echo "machine: cannot mount the root file system"
  for folder in tmp run root var/tmp; do
    mount -t tmpfs "$folder" "/newroot/$folder"
  done
  mkdir -p /newroot/run/machine
  cp /machine/* /newroot/run/machine/
  for folder in dev proc sys; do
    mount --move "/$folder" "/newroot/$folder"
  done
  exec switch_root /newroot /run/machine/init.sh
fi

export PATH=/usr/sbin:/usr/bin
exec </dev/console >/dev/console 2>&1
busybox date -s "@$(cat /run/machine/date)" >/dev/null
mkdir -p /dev/shm /dev/pts /run/lock
mount -t tmpfs shm /dev/shm
mount -t devpts pts /dev/pts
ln -sf /proc/self/fd /dev/fd
ln -sf fd/0 /dev/stdin
ln -sf fd/1 /dev/stdout
ln -sf fd/2 /dev/stderr
for system in tracefs:/sys/kernel/tracing debugfs:/sys/kernel/debug cgroup2:/sys/fs/cgroup; do
  mount -t "${system%%:*}" "${system%%:*}" "${system#*:}" 2>/dev/null
done
chmod 1777 /tmp /var/tmp /dev/shm
mkdir -m 700 /run/user-0
busybox hostname machine
busybox ifconfig lo 127.0.0.1 up
busybox ifconfig eth0 10.0.2.15 netmask 255.255.255.0 up # qemu's network, -netdev user
while read -r tag path; do
  # The root file system is read-only. The first folder of the path becomes a tmpfs.
  first=/$(echo "$path" | cut -d/ -f2)
  [ -d "$first" ] || echo "machine: no folder $first for $path"
  mkdir -p "$path" 2>/dev/null || { mount -t tmpfs share "$first" && mkdir -p "$path"; }
  mount -t virtiofs "$tag" "$path" || echo "machine: cannot mount $path"
done </run/machine/shares
echo 0 >/proc/sys/kernel/printk
echo 1 >/proc/sys/kernel/perf_event_paranoid # as on a desktop: uprobes for root, counts for all
exec /run/machine/agent 0.0.0.0 7 /run/machine/token

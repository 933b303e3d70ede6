#!/bin/sh
# A Secret Service of its own for a test, on a bus of its own: says the bus's address, then lives until its
# standard input is closed. To be started by: dbus-run-session -- secret-service.sh unlocked|locked|empty|absent
case "$1" in
  unlocked) printf 'the keyring password' | gnome-keyring-daemon --unlock --components=secrets >/dev/null ;;
  locked | empty) gnome-keyring-daemon --start --components=secrets >/dev/null ;;
esac
echo "$DBUS_SESSION_BUS_ADDRESS"
exec cat >/dev/null

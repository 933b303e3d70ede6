"""A Secret Service whose only collection is locked, and whose prompt to unlock it never ends: a dialog that nobody sees.

To be started by: dbus-run-session -- python3 silent-service.py. It says the bus's address, then lives until standard
input is closed.
"""
import os
import sys

import dbus
import dbus.service
from dbus.mainloop.glib import DBusGMainLoop
from gi.repository import GLib

PATH = "/org/freedesktop/secrets"
COLLECTION = dbus.ObjectPath(PATH + "/collection/login")
ITEM = dbus.ObjectPath(COLLECTION + "/1")
PROMPT = dbus.ObjectPath(PATH + "/prompt/1")
SERVICE = "org.freedesktop.Secret.Service"
PROPERTIES = "org.freedesktop.DBus.Properties"


class Service(dbus.service.Object):
    @dbus.service.method(SERVICE, in_signature="sv", out_signature="vo")
    def OpenSession(self, algorithm, _):
        key = b"" if algorithm == "plain" else b"\x01" + os.urandom(127)
        return dbus.ByteArray(key, variant_level=1), dbus.ObjectPath(PATH + "/session/1")

    @dbus.service.method(SERVICE, in_signature="a{ss}", out_signature="aoao")
    def SearchItems(self, _):
        return [], [ITEM]

    @dbus.service.method(SERVICE, in_signature="s", out_signature="o")
    def ReadAlias(self, _):
        return COLLECTION

    @dbus.service.method(SERVICE, in_signature="ao", out_signature="aoo")
    def Unlock(self, _):
        return [], PROMPT

    @dbus.service.method(PROPERTIES, in_signature="ss", out_signature="v")
    def Get(self, _, name):
        return dbus.Array([COLLECTION], signature="o") if name == "Collections" else True


class Locked(dbus.service.Object):
    @dbus.service.method("org.freedesktop.Secret.Collection", in_signature="a{ss}", out_signature="ao")
    def SearchItems(self, _):
        return [ITEM]

    @dbus.service.method(PROPERTIES, in_signature="ss", out_signature="v")
    def Get(self, _, name):
        return True if name == "Locked" else ""


class Prompt(dbus.service.Object):
    @dbus.service.method("org.freedesktop.Secret.Prompt", in_signature="s")
    def Prompt(self, _):
        pass

    @dbus.service.method("org.freedesktop.Secret.Prompt")
    def Dismiss(self):
        pass


DBusGMainLoop(set_as_default=True)
bus = dbus.SessionBus()
name = dbus.service.BusName("org.freedesktop.secrets", bus)
objects = [Service(bus, PATH), Locked(bus, COLLECTION), Locked(bus, ITEM), Prompt(bus, PROMPT)]
print(os.environ["DBUS_SESSION_BUS_ADDRESS"], flush=True)
loop = GLib.MainLoop()
GLib.io_add_watch(sys.stdin.fileno(), GLib.IO_HUP, lambda *_: loop.quit())
loop.run()

"""KWallet's Secret Service with an unlocked wallet, on a display of its own.

To be started by: dbus-run-session -- python3 kwallet.py HOME. It says the bus's address, then lives until standard input
is closed. The wallet is created and opened as a login with pam_kwallet does it, without a dialog.
"""
import os
import socket
import subprocess
import sys
import time

home = sys.argv[1]
for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"):
    os.environ[name] = home
with open(home + "/kwalletrc", "w") as settings:
    settings.write("[Wallet]\nFirst Use=false\nDefault Wallet=kdewallet\n")
    settings.write("[org.freedesktop.secrets]\napiEnabled=true\n")


def start_display():
    read_end, write_end = os.pipe()
    words = ["Xvfb", "-displayfd", str(write_end), "-nolisten", "tcp", "-screen", "0", "640x480x24"]
    display = subprocess.Popen(words, pass_fds=[write_end], stderr=subprocess.DEVNULL)
    os.environ["DISPLAY"] = ":" + os.read(read_end, 16).decode().strip()
    return display


def start_wallet():
    """Passes the key of the wallet through a pipe, and the environment through a socket."""
    path = home + "/kwallet.socket"
    if os.path.exists(path):
        os.unlink(path)
    os.environ["PAM_KWALLET5_LOGIN"] = path
    read_end, write_end = os.pipe()
    os.write(write_end, bytes(range(1, 57)))
    os.close(write_end)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen(1)
    fds = [read_end, listener.fileno()]
    words = ["kwalletd5", "--pam-login", str(fds[0]), str(fds[1])]
    wallet = subprocess.Popen(words, pass_fds=fds, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    client = socket.socket(socket.AF_UNIX)
    client.connect(path)
    client.sendall(f"DISPLAY={os.environ['DISPLAY']}\n".encode())
    client.close()
    words = ["dbus-send", "--session", "--print-reply", "--dest=org.freedesktop.secrets", "/org/freedesktop/secrets"]
    words += ["org.freedesktop.Secret.Service.ReadAlias", "string:default"]
    for _ in range(100):
        if subprocess.run(words, capture_output=True).returncode == 0:
            break
        time.sleep(0.1)
    return wallet


display = start_display()
wallet = start_wallet()
# The Secret Service knows a wallet that was there when it started.
wallet.terminate()
wallet.wait()
wallet = start_wallet()
print(os.environ["DBUS_SESSION_BUS_ADDRESS"], flush=True)
sys.stdin.read()
for process in (wallet, display):
    process.terminate()
    process.wait()

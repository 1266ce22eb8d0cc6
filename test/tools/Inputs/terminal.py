"""terminal.py COMMAND...: runs it with a terminal as standard error, and prints what that gets, carriage returns as line breaks."""
import os
import pty
import subprocess
import sys

master, slave = pty.openpty()
process = subprocess.Popen(sys.argv[1:], stderr=slave, env=dict(os.environ, TERM="xterm"))
os.close(slave)
said = b""
while True:
    try:
        part = os.read(master, 4096)
    except OSError:  # the other end is closed
        break
    if not part:
        break
    said += part
sys.stdout.write(said.decode().replace("\r\n", "\n").replace("\r", "\n"))
sys.exit(process.wait())

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""net_server.py FOLDER: the host's side of net.sh, until it is ended.

Serves FOLDER by HTTP on 127.0.0.1, at the first port that it prints. The second is free: what is first heard of something that listens
there goes to FOLDER/got, as sha256sum prints it of standard input.
"""
import functools
import hashlib
import http.server
import os
import socket
import sys
import threading
import time


def hear(port, path):
    """A guest that does not listen yet refuses, or ends the connection at once."""
    data = b""
    while not data:
        time.sleep(0.2)
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
                while piece := connection.recv(65536):
                    data += piece
        except OSError:
            data = b""
    with open(path + ".part", "w", encoding="ascii") as file:
        file.write(f"{hashlib.sha256(data).hexdigest()}  -\n")
    os.rename(path + ".part", path)


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def main():
    folder = sys.argv[1]
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        free = unused.getsockname()[1]
    print(server.server_address[1], free, flush=True)
    threading.Thread(target=hear, args=(free, os.path.join(folder, "got")), daemon=True).start()
    server.serve_forever()


if __name__ == "__main__":
    main()

"""An editor that opens a good and a wrong file, and mends the wrong one. Messages of the language server protocol: a header with the length, JSON."""
import json
import subprocess

GOOD = """func.func @softmax(%x: tensor<?x4xf32, #heddle.dims<b, 4>>) {
  %0 = heddle.softmax %x axis 1 : tensor<?x4xf32, #heddle.dims<b, 4>>
  return
}
"""
server = subprocess.Popen(["heddle-lsp-server"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def send(method, parameters, **more):
    body = json.dumps({"jsonrpc": "2.0", "method": method, "params": parameters, **more}).encode()
    server.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    server.stdin.flush()


def receive():
    length = 0
    while (line := server.stdout.readline().strip()) != b"":
        name, value = line.split(b":")
        if name == b"Content-Length":
            length = int(value)
    return json.loads(server.stdout.read(length))


def diagnostics(name):
    """What the server has to say of a file that was opened or changed."""
    found = receive()["params"]["diagnostics"]
    told = [f"line {one['range']['start']['line'] + 1}: {one['message']}" for one in found]
    print(f"{name}: {'; '.join(told) or 'nothing'}")


def text(name, contents):
    return {"uri": f"file:///{name}.mlir", "languageId": "mlir", "version": 1, "text": contents}


send("initialize", {"processId": None, "rootUri": None, "capabilities": {}}, id=1)
answer = receive()["result"]
can = [name for name in ("definition", "references", "hover") if answer["capabilities"].get(f"{name}Provider")]
print(f"initialize: {answer['serverInfo']['name']}, {', '.join(can).replace('definition', 'definitions')}")
send("initialized", {})
send("textDocument/didOpen", {"textDocument": text("good", GOOD)})
diagnostics("good")
send("textDocument/didOpen", {"textDocument": text("wrong", GOOD.replace("axis 1", "axis 2"))})
diagnostics("wrong")
send("textDocument/didChange", {"textDocument": {"uri": "file:///wrong.mlir", "version": 2}, "contentChanges": [{"text": GOOD}]})
diagnostics("mended")
send("shutdown", None, id=2)
receive()
send("exit", None)
print(f"shutdown: exit code {server.wait(timeout=60)}")

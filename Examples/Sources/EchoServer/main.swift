// Answers GET with the head it received and POST with the body, over Wire and plain sockets alone.
//
//     swift run EchoServer 8080
//     curl http://127.0.0.1:8080/ --data 'hello'
import Dispatch
import Glibc

let listener = try Listener(port: UInt16(CommandLine.arguments.dropFirst().first ?? "8080") ?? 8080)
print("listening on port \(try listener.port)")
// Whoever reads this through a pipe is waiting for it.
fflush(nil)

while true {
    let socket = try listener.accept()
    DispatchQueue.global().async {
        var connection = EchoConnection(socket)
        do { try connection.serve() } catch { print("a connection was lost: \(error)") }
    }
}

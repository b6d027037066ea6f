// Runs the cells of the interoperability suite, and prints a line after each:
//
//   Interop PLAN
//
// `scripts/check-interop` starts the servers, writes the plan and reads the lines. A line has five
// parts, separated by tabs: "cell", server, scenario, milliseconds, and the problem, if any.

internal import Foundation
internal import HTTPClient

guard CommandLine.arguments.count == 2 else {
    preconditionFailure("usage: Interop PLAN")
}
let plan = try Plan(file: CommandLine.arguments[1])
let files = URL(fileURLWithPath: plan.folder).appendingPathComponent("files")
let file = try [UInt8](Data(contentsOf: files.appendingPathComponent("file.bin")))
let small = try [UInt8](Data(contentsOf: files.appendingPathComponent("small.txt")))
for server in plan.servers {
    for scenario in server.scenarios {
        let start = ContinuousClock.now
        var reason = ""
        do {
            try await ScenarioRun(server, plan: plan, file: file, small: small).run(scenario)
        } catch {
            reason = String(
                "\(error)".unicodeScalars.map { (" "..."~").contains($0) ? Character($0) : "." }
            )
        }
        let milliseconds = Int((ContinuousClock.now - start) / .milliseconds(1))
        let parts = ["cell", server.name, scenario.rawValue, "\(milliseconds)", reason]
        FileHandle.standardOutput.write(Data((parts.joined(separator: "\t") + "\n").utf8))
    }
}

import Glibc

var environment: [String: String] = [:]
for (name, value) in Environment.all { environment[name] = value }
exit(Command.run(Array(CommandLine.arguments.dropFirst()), environment))

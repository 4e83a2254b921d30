import Glibc
import ScaleModel

// Prints the size of the cluster that carries a load: nodes, bytes and processors, from measured costs.
//
// Usage: Scale [--spaces N] [--commits N] [--streams N] [--lanes N] [--regions N] [--followed PART] [--commit-bytes N]
//              [--space-bytes N] [--cores N] [--streams-per-node N] [--action-us N] [--applied-us N] [--event-us N]
//              [--append-us N] [--latency-ms N] [--appends-per-disk N]
// Without options: the load of the plan, a million spaces and ten million streams.

let loads: [String: WritableKeyPath<ClusterLoad, Double>] = [
    "--spaces": \.spaces, "--commits": \.commits, "--streams": \.streams, "--lanes": \.lanes, "--regions": \.regions,
    "--followed": \.followed, "--commit-bytes": \.commitBytes, "--space-bytes": \.spaceBytes,
]
let costPaths: [String: (path: WritableKeyPath<MeasuredCosts, Double>, unit: Double)] = [
    "--cores": (\.cores, 1), "--streams-per-node": (\.streamsLimit, 1), "--action-us": (\.action, 1e-6),
    "--applied-us": (\.applied, 1e-6), "--event-us": (\.event, 1e-6), "--append-us": (\.append, 1e-6),
    "--latency-ms": (\.appendLatency, 1e-3), "--appends-per-disk": (\.appendsPerDisk, 1),
]

func refuse(_ words: String) -> Never {
    print("Scale: \(words)")
    exit(2)
}

var load = ClusterLoad()
var costs = MeasuredCosts()
var rest = CommandLine.arguments.dropFirst()
while let option = rest.popFirst() {
    guard let text = rest.popFirst(), let number = Double(text), number.isFinite, number > 0 else {
        refuse("\(option) takes a number above 0")
    }
    if let path = loads[option] {
        load[keyPath: path] = number
    } else if let cost = costPaths[option] {
        costs[keyPath: cost.path] = number * cost.unit
    } else {
        refuse("no such option: \(option)")
    }
}
for line in SizeReport.lines(load, ClusterSize(load, costs)) { print(line) }

let arguments = Array(CommandLine.arguments.dropFirst())
if arguments.contains("--help") {
    print("usage: Benchmarks [NAME]: measures the comparisons whose group or name contains NAME; without it, all")
} else {
    let wanted = arguments.first ?? ""
    for group in [reactiveComparisons] {
        let comparisons = group.comparisons.filter { wanted.isEmpty || group.name.contains(wanted) || $0.name.contains(wanted) }
        if !comparisons.isEmpty { Report(group.name, comparisons).print() }
    }
}

let arguments = Array(CommandLine.arguments.dropFirst())
if arguments.contains("--help") {
    print(
        """
        usage: Benchmarks [NAME]          measures what is called, or belongs to a group that is called, something with NAME in it; without it, all
               Benchmarks server [NAME]   measures the server beside the floor, or of that what is called something with NAME in it
        """
    )
} else if arguments.first == "floor" {
    Floor.run(keepingIn: arguments.dropFirst().first)
} else {
    let wanted = arguments.first ?? ""
    func isWanted(_ name: String, in group: Group) -> Bool { wanted.isEmpty || group.name.contains(wanted) || name.contains(wanted) }
    let costly = [populationComparisons, inhabitedMeasurements].filter { $0.name == wanted }
    for group in [reactiveComparisons, listComparisons, expressionComparisons, streamComparisons, storeMeasurements, journalComparisons]
        + costly
    {
        let comparisons = group.comparisons.filter { isWanted($0.name, in: group) }
        let bounds = group.bounds.filter { isWanted($0.name, in: group) }
        let figures = group.figures.filter { isWanted($0.name, in: group) }
        if !comparisons.isEmpty || !bounds.isEmpty || !figures.isEmpty { Report(group.name, comparisons, bounds, figures).print() }
    }
    if wanted == "server" { ServerMeasurements.print(only: arguments.dropFirst().first ?? "") }
}

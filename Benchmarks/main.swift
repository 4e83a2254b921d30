let arguments = Array(CommandLine.arguments.dropFirst())
if arguments.contains("--help") {
    print(
        """
        usage: Benchmarks [NAME]          runs the measurements with NAME in their name or their group's name, or all
               Benchmarks growth [NAME]   measures the cost of many spaces
               Benchmarks crowd [NAME]    measures one request beside many features, tokens, streams, rows and the like
               Benchmarks server [NAME]   compares the server with the floor, a minimal reference server
               Benchmarks load PORT CONNECTIONS SECONDS < CYCLES
                                          sends requests to a server, which a JSON array of arrays of texts has
               Benchmarks fanout PORT STREAMS ROUNDS < COURSE
                                          measures the time from a request to the events of streams
               Benchmarks bank ARGUMENTS, Benchmarks sqlite FILE ACCOUNTS FULL|NORMAL
                                          serve the bank of `Scripts/bench public`
        """
    )
} else if arguments.first == "floor" {
    Floor.run(keepingIn: arguments.dropFirst().first)
} else if arguments.first == "load" {
    CommandedLoad.run(Array(arguments.dropFirst()))
} else if arguments.first == "fanout" {
    FanoutLoad.run(Array(arguments.dropFirst()))
} else if arguments.first == "bank" {
    BankFeature.serve(Array(arguments.dropFirst()))
} else if arguments.first == "sqlite" {
    SQLiteBank.run(Array(arguments.dropFirst()))
} else {
    let wanted = arguments.first ?? ""
    func isWanted(_ name: String, in group: MeasurementGroup) -> Bool {
        wanted.isEmpty || group.name.contains(wanted) || name.contains(wanted)
    }
    let costly = [populationComparisons, inhabitedMeasurements].filter { $0.name == wanted }
    let groups = [
        reactiveComparisons, listComparisons, expressionComparisons, compressionComparisons, streamComparisons,
        rememberingComparisons,
        streamMeasurements, storeMeasurements, rowComparisons, patchComparisons, journalComparisons, copyMeasurements,
        documentComparisons, searchComparisons,
    ]
    for group in groups
        + costly
    {
        let comparisons = group.comparisons.filter { isWanted($0.name, in: group) }
        let bounds = group.bounds.filter { isWanted($0.name, in: group) }
        let figures = group.figures.filter { isWanted($0.name, in: group) }
        if !comparisons.isEmpty || !bounds.isEmpty || !figures.isEmpty {
            MeasurementReport(group.name, comparisons, bounds, figures).print()
        }
    }
    if wanted == "growth" { SpaceGrowth.print(only: arguments.dropFirst().first ?? "") }
    if wanted == "crowd" { OneOfMany.print(only: arguments.dropFirst().first ?? "") }
    if wanted == "server" { ServerMeasurements.print(only: arguments.dropFirst().first ?? "") }
}

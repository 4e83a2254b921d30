/// The tables of a group's results.
struct MeasurementReport {
    private let title: String
    private let comparisons: [Comparison]
    private let bounds: [Bound]
    private let figures: [Figure]

    init(_ title: String, _ comparisons: [Comparison], _ bounds: [Bound], _ figures: [Figure]) {
        self.title = title
        self.comparisons = comparisons
        self.bounds = bounds
        self.figures = figures
    }

    func print() {
        Swift.print("\n\(title)")
        if !figures.isEmpty { printFigures() }
        if !comparisons.isEmpty { printComparisons() }
        if !bounds.isEmpty { printBounds() }
    }

    private func printFigures() {
        Swift.print("\n| measurement | figure | allowed | unit | |")
        Swift.print("|---|--:|--:|---|---|")
        for figure in figures {
            let value = figure.measure()
            let verdict = value <= figure.allowed ? "" : "over"
            Swift.print(
                "| \(figure.name) | \(places(1, value)) | \(places(1, figure.allowed)) | \(figure.unit) | \(verdict) |")
        }
    }

    private func printBounds() {
        Swift.print("\n| measurement | ns | allocations | allowed ns | |")
        Swift.print("|---|--:|--:|--:|---|")
        for bound in bounds {
            let cost = bound.measure()
            let verdict = cost.nanoseconds <= bound.allowed ? "" : "over"
            let cells = [
                bound.name, places(1, cost.nanoseconds), places(2, cost.allocations), places(1, bound.allowed), verdict,
            ]
            Swift.print("| \(cells.joined(separator: " | ")) |")
        }
    }

    private func printComparisons() {
        Swift.print("\n| measurement | ns | allocations | limit ns | limit allocations | ratio | allowed | |")
        Swift.print("|---|--:|--:|--:|--:|--:|--:|---|")
        for comparison in comparisons {
            let (ours, limit, ratio) = comparison.measure()
            let cells = [
                comparison.name, places(1, ours.nanoseconds), places(2, ours.allocations), places(1, limit.nanoseconds),
                places(2, limit.allocations), places(2, ratio), comparison.allowed.map { places(1, $0) } ?? "–",
                ratio <= comparison.allowed ?? .infinity ? "" : "over",
            ]
            Swift.print("| \(cells.joined(separator: " | ")) |")
        }
    }

    private func places(_ count: Int, _ value: Double) -> String {
        let scale = count == 1 ? 10 : 100
        let scaled = Int(value * Double(scale) + 0.5)
        let fraction = String(scaled % scale)
        return "\(scaled / scale)." + String(repeating: "0", count: count - fraction.count) + fraction
    }
}

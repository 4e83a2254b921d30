import Glibc

/// The table of what grows: a row is a figure, beside another one.
enum GrowthRow {
    static func begin(_ title: String) {
        Swift.print("\n\(title)\n")
        Swift.print("| measurement | figure | beside | ratio | allowed | |")
        Swift.print("|---|--:|--:|--:|--:|---|")
    }

    /// `allowed` is the maximum ratio, or the maximum figure where nothing is beside it.
    static func print(_ name: String, _ figure: Double, _ beside: Double?, _ allowed: Double?) {
        let ratio = beside.map { figure / $0 }
        let isOver = allowed.map { (ratio ?? figure) > $0 } ?? false
        let places = ServerMeasurements.places
        let cells = [
            name, places(figure), beside.map(places) ?? "–", ratio.map(places) ?? "–", allowed.map(places) ?? "–",
            isOver ? "over" : "",
        ]
        Swift.print("| \(cells.joined(separator: " | ")) |")
        fflush(nil)
    }
}

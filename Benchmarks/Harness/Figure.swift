/// A number that is measured once, with its maximum.
struct Figure: Sendable {
    let name: String
    let unit: String
    let allowed: Double
    let measure: @Sendable () -> Double
}

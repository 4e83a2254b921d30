/// One number that is measured once, beside the most that it may be.
struct Figure: Sendable {
    let name: String
    let unit: String
    let allowed: Double
    let measure: @Sendable () -> Double
}

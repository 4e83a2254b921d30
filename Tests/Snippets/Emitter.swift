import Reactive

final class Sensor {
    func begin(_ tell: @escaping (Double) -> Void) -> Int { 0 }
    func end(_ handle: Int) {}
}

static func source(_ sensor: Sensor) {
    // snippet
    _ = temperature
}

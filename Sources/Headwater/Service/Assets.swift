import CAssets

/// What is built into the program.
enum Assets {
    /// The contract, as a machine reads it.
    static let contract = Asset("application/yaml", bytes(of: asset_contract, asset_contract_size))

    /// The files of the console, by their names.
    static let console: [String: Asset] = [:]

    private static func bytes(of start: UnsafePointer<UInt8>, _ count: Int) -> [UInt8] {
        Array(UnsafeBufferPointer(start: start, count: count))
    }
}

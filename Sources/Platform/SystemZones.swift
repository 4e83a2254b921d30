internal import Glibc

/// The time zone database of the system.
public enum SystemZones {
    private static let folder = "/usr/share/zoneinfo/"
    private static let greatestSizeBytes = 64 << 10

    /// Reads the file of a zone, as `Europe/Paris`; nil if there is none. Precondition: the name does not leave the folder.
    @Sendable public static func read(_ name: String) -> [UInt8]? {
        let descriptor = unsafe open(folder + name, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: greatestSizeBytes)
        var count = 0
        while count < bytes.count {
            let got = unsafe bytes.withUnsafeMutableBytes {
                unsafe Glibc.read(descriptor, $0.baseAddress! + count, $0.count - count)
            }
            if got < 0 { return nil }
            if got == 0 { break }
            count += got
        }
        return Array(bytes[..<count])
    }
}

internal import Compression
import Ground

/// The compression of large content for all who wait for it: in slices, between which others are served.
package final class SlicedCompression {
    /// The bytes from which on content is compressed in slices,
    package static let bytesAtLeast = 1_024 * 1_024
    /// and those of a slice.
    private static let sliceBytes = 256 * 1_024

    /// What waits for the result.
    private struct CompressionWait {
        let isWanted: () -> Bool
        let body: (DeflatedFrame) -> Void
    }

    private let content: Rope
    /// The part that is next, and the place in it.
    private var part = 0
    private var place = 0
    private var frames: [DeflatedFrame] = []
    private var waiting: [CompressionWait] = []

    /// The compression of content.
    package init(_ content: Rope) { self.content = content }

    /// Calls `body` with the result, unless `isWanted` returns false before. Returns true if the compression is to begin.
    func wait(_ isWanted: @escaping () -> Bool, _ body: @escaping (DeflatedFrame) -> Void) -> Bool {
        waiting.append(CompressionWait(isWanted: isWanted, body: body))
        return waiting.count == 1
    }

    /// Compresses the next bytes. Returns true at the end, or once nobody waits.
    func takeSlice(_ deflater: Deflater) -> Bool {
        waiting.removeAll { !$0.isWanted() }
        guard !waiting.isEmpty else { return true }
        let parts = nextParts()
        if !parts.isEmpty { frames.append(deflater.frame(parts, isOfLarge: true)) }
        guard part == content.partCount else { return false }
        let frame = DeflatedFrame(joining: frames, of: content.count)
        let told = waiting
        (waiting, frames, part, place) = ([], [], 0, 0)
        for one in told where one.isWanted() { one.body(frame) }
        return true
    }

    private func nextParts() -> [[UInt8]] {
        var (parts, left) = ([[UInt8]](), Self.sliceBytes)
        while left > 0, part < content.partCount {
            let bytes = content.part(part)
            let count = min(left, bytes.count - place)
            if count == bytes.count { parts.append(bytes) } else { parts.append(Array(bytes[place..<place + count])) }
            left -= count
            place += count
            if place == bytes.count { (part, place) = (part + 1, 0) }
        }
        return parts
    }
}

extension Server {
    /// Compresses large content for one who waits for it while `isWanted` returns true.
    func compress(
        _ compression: SlicedCompression, while isWanted: @escaping () -> Bool,
        then body: @escaping (DeflatedFrame) -> Void
    ) {
        guard compression.wait(isWanted, body) else { return }
        slices.add { [weak self] in self.map { compression.takeSlice($0.deflater) } ?? true }
    }
}
